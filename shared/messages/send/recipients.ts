import { hasTopic } from "../../channels/topics.ts";
import { badRequest } from "../../errors.ts";
import type { HttpRequest } from "../../http/event.ts";
import { limits } from "../../limits.ts";
import { accessRealm } from "../../organization/access.ts";
import { int, list, string, union } from "../../schema/params.ts";
import { parseJson } from "../../schema/text.ts";
import { findChannel, findChannelIdByName } from "../../store/channels/channels.ts";
import { findUsers } from "../../store/users/users.ts";
import { isChannelType, type messageTypes, type NamedDestination } from "./destination.ts";

type MessageType = (typeof messageTypes)[number];
type Recipients = number | string | (number | string)[];

/** `to`: a channel's ID or name, or users' IDs or addresses, as plain text or JSON. */
export const recipientParam = () =>
  union(
    [int(), string({ max: 10_000 }), list(union([int(), string()], "an integer or a string"))],
    "a valid recipient",
  );

/** `to` as IDs only: of a channel, or a list of users. */
export const recipientIdParam = () => union([int(), list(int())], "an integer or a list of integers");

/** Reads the organization, and the channel (`withTopic`: and the topic) or the users to whom a request sends a message. */
export async function prefetchDestination(
  { rawParameter }: Pick<HttpRequest, "rawParameter">,
  { withTopic = false } = {},
): Promise<void> {
  const [type, to, topic = rawParameter("subject")] = ["type", "to", "topic"].map(rawParameter);
  const recipients = parseJson(to ?? "") ?? to;
  const prefetchTo = isChannelType(type as MessageType)
    ? prefetchChannelById(Array.isArray(recipients) ? recipients[0] : recipients, withTopic ? topic : undefined)
    : prefetchUsers([recipients].flat());
  await Promise.all([accessRealm(), prefetchTo]);
}

async function prefetchUsers(idsOrEmails: readonly unknown[]): Promise<void> {
  // A longer list will be refused. Nor must a request whose credentials may be invalid make the server read many items.
  if (idsOrEmails.length > limits.directMessageParticipants) return;
  await findUsers(idsOrEmails.filter((id) => typeof id === "number"));
}

/** Reads the channel that a parameter names by its name or ID. */
export const prefetchChannel = async (nameOrId: string | undefined): Promise<void> =>
  nameOrId === undefined ? undefined : prefetchChannelById(parseJson(nameOrId) ?? nameOrId, undefined);

async function prefetchChannelById(idOrName: unknown, topic: string | undefined): Promise<void> {
  const id = typeof idOrName === "string" ? await findChannelIdByName(idOrName.trim()) : idOrName;
  if (typeof id !== "number") return;
  await Promise.all([findChannel(id), topic === undefined ? undefined : hasTopic(id, topic.trim())]);
}

/** The destination that a client's `type` and IDs name. */
export function toNamedDestinationById(
  type: MessageType,
  to: number | number[],
  topic: string | undefined,
): NamedDestination {
  if (isChannelType(type) && Array.isArray(to)) throw badRequest("to is not an integer");
  if (!isChannelType(type) && !Array.isArray(to)) throw badRequest("to is not a list");
  return toNamedDestination(type, to, topic);
}

/** The destination that a client's `type`, `to` and topic name. */
export function toNamedDestination(type: MessageType, to: Recipients, topic: string | undefined): NamedDestination {
  if (!isChannelType(type)) return { kind: "direct", to: toRecipientList(to) };
  const channel = Array.isArray(to) ? to[0] : to;
  if (channel === undefined || (Array.isArray(to) && to.length > 1)) throw badRequest("Expected exactly one channel");
  return { kind: "channel", channel, topic };
}

/** A string has addresses separated by commas. */
function toRecipientList(to: Recipients): (number | string)[] {
  if (typeof to === "number") return [to];
  if (Array.isArray(to)) return to;
  return to
    .split(",")
    .map((address) => address.trim())
    .filter((address) => address !== "");
}
