import { badRequest } from "../errors.ts";
import { either, int, list, string } from "../http/params.ts";
import { isChannelType, type messageTypes, type NamedDestination } from "./destination.ts";

type MessageType = (typeof messageTypes)[number];
type Recipients = number | string | (number | string)[];

/** `to`: a channel's ID or name, or users' IDs or addresses; raw text or JSON. */
export const recipientParam = () =>
  either(
    [int(), string({ max: 10_000 }), list(either([int(), string()], "an integer or a string"))],
    "a valid recipient",
  );

/** `to` as IDs alone: a channel's, or a list of users'. */
export const recipientIdParam = () => either([int(), list(int())], "an integer or a list of integers");

/** The destination that a client's `type` and IDs name. */
export function addressedById(type: MessageType, to: number | number[], topic: string | undefined): NamedDestination {
  if (isChannelType(type) && Array.isArray(to)) throw badRequest("to is not an integer");
  if (!isChannelType(type) && !Array.isArray(to)) throw badRequest("to is not a list");
  return addressedTo(type, to, topic);
}

/** The destination that a client's `type`, `to` and topic name. */
export function addressedTo(type: MessageType, to: Recipients, topic: string | undefined): NamedDestination {
  if (!isChannelType(type)) return { kind: "direct", to: peopleIn(to) };
  const channel = Array.isArray(to) ? to[0] : to;
  if (channel === undefined || (Array.isArray(to) && to.length > 1)) throw badRequest("Expected exactly one channel");
  return { kind: "channel", channel, topic };
}

/** Addresses may also come as one text, joined by commas. */
function peopleIn(to: Recipients): (number | string)[] {
  if (typeof to === "number") return [to];
  if (Array.isArray(to)) return to;
  return to
    .split(",")
    .map((address) => address.trim())
    .filter((address) => address !== "");
}
