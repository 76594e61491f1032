import { badRequest } from "../../../base/errors.ts";
import { limits } from "../../../base/limits.ts";
import type { Need } from "../../../base/needs.ts";
import { int, list, string, union } from "../../../base/schema/params.ts";
import { hasTopic } from "../../../core/channels/topics.ts";
import type { Caller } from "../../../services/identity/caller.ts";
import type { Realm } from "../../../services/organization/access.ts";
import { findChannel, findChannelIdByName } from "../../../store/channels/channels.ts";
import { prefetch } from "../../../store/table/shared-reads.ts";
import { findUserSettings } from "../../../store/users/user-settings.ts";
import { findUsers } from "../../../store/users/users.ts";
import {
  accessDestination,
  type Destination,
  isChannelType,
  type messageTypes,
  type NamedDestination,
} from "./destination.ts";

export type MessageType = (typeof messageTypes)[number];
type Recipients = number | string | (number | string)[];

/** `to`: a channel's ID or name, or users' IDs or addresses, as plain text or JSON. */
export const recipientParam = () =>
  union(
    [int(), string({ max: 10_000 }), list(union([int(), string()], "an integer or a string"))],
    "a valid recipient",
  );

/** `to` as IDs only: of a channel, or a list of users. */
export const recipientIdParam = () => union([int(), list(int())], "an integer or a list of integers");

/** Reads the channel, and the topic if it is given, or the users that parameters name as the destination of a message. */
export function readDestination(
  type: MessageType | undefined,
  to: Recipients | undefined,
  topic?: string | undefined,
): Promise<unknown> | undefined {
  if (type === undefined || to === undefined) return undefined;
  if (isChannelType(type)) return readChannel(Array.isArray(to) ? to[0] : to, topic);
  const idsOrEmails = [to].flat();
  // A longer list will be refused. Nor must a request whose credentials may be invalid make the server read many items.
  if (idsOrEmails.length > limits.directMessageParticipants) return undefined;
  return findUsers(idsOrEmails.filter((id) => typeof id === "number"));
}

/** Reads the channel that a parameter names by its name or ID, and the topic if it is given. */
export async function readChannel(idOrName: number | string | undefined, topic?: string | undefined): Promise<void> {
  const id = typeof idOrName === "string" ? await findChannelIdByName(idOrName.trim()) : idOrName;
  if (typeof id !== "number") return;
  await Promise.all([findChannel(id), topic === undefined ? undefined : hasTopic(id, topic.trim())]);
}

/** Refuses a request that names no single channel. */
export const checkRecipients = ({ type, to }: { type: MessageType; to: Recipients }): void =>
  void toNamedDestination(type, to, undefined);

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

/** The destination to which a request sends a message, if the caller may write there. */
export const sentDestination: Need<
  Destination,
  {
    caller: Caller;
    params: { type: MessageType; to: Recipients; topic?: string | undefined; subject?: string | undefined };
    realm: Promise<Realm>;
  }
> = {
  early: (sent) => readDestination(sent("type"), sent("to"), sent("topic") ?? sent("subject")),
  load: async ({ caller, params: { type, to, topic, subject }, realm }) => {
    // Composing the message needs the settings too.
    if (isChannelType(type)) prefetch(() => findUserSettings(caller.id));
    return accessDestination(caller, toNamedDestination(type, to, topic ?? subject), await realm);
  },
};

/** The destination that a client's `type`, `to` and topic name. */
function toNamedDestination(type: MessageType, to: Recipients, topic: string | undefined): NamedDestination {
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
