import { badRequest } from "../../base/errors.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { type Channel, findChannel, findChannelIdByName } from "../../store/channels/channels.ts";
import { findSubscription } from "../../store/channels/subscriptions.ts";
import { findUserTopic, visibilityPolicies } from "../../store/channels/user-topics.ts";
import { isContentReadable } from "../channels/content-permissions.ts";

/** Returns the ID or name of the channel that a request names; throws a 400 unless it has exactly one of them. */
export function checkOneChannel({
  stream_id: id,
  stream: name,
}: {
  stream_id?: number | undefined;
  stream?: string | undefined;
}) {
  const idOrName = id ?? name;
  if (idOrName === undefined) throw badRequest("Please supply 'stream' or 'stream_id'.");
  if (id !== undefined && name !== undefined) throw badRequest("Please choose one: 'stream' or 'stream_id'.");
  return idOrName;
}

/** Refuses to unmute a topic that the caller has not muted. 0.5 read units. */
export async function checkMuteChange(
  caller: Caller,
  channel: Channel,
  topic: string,
  op: "add" | "remove",
): Promise<void> {
  const isMuted = (await findUserTopic(caller.id, channel.id, topic))?.policy === visibilityPolicies.muted;
  if (op === "remove" && !isMuted) throw badRequest("Topic is not muted");
}

/** Returns a channel, by ID or name, whose content the caller may read, and for whose topics they thus may set policies. */
export async function accessTopicsChannel(caller: Caller, idOrName: number | string): Promise<Channel> {
  const invalid = () =>
    badRequest(typeof idOrName === "number" ? "Invalid channel ID" : `Invalid channel name '${idOrName}'`);
  const id = typeof idOrName === "number" ? idOrName : await findChannelIdByName(idOrName.trim());
  if (id === undefined) throw invalid();
  const [channel, subscription] = await Promise.all([findChannel(id), findSubscription(caller.id, id)]);
  if (!channel || !(await isContentReadable(caller, channel, subscription))) throw invalid();
  return channel;
}
