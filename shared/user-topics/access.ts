import { isContentReadable } from "../channels/content-permissions.ts";
import { badRequest } from "../errors.ts";
import type { Caller } from "../identity/caller.ts";
import { type Channel, findChannel, findChannelIdByName } from "../store/channels/channels.ts";
import { findSubscription } from "../store/channels/subscriptions.ts";
import { findUserTopic } from "../store/channels/user-topics.ts";

/** Checks that a request names its channel by either ID or name. */
export function checkOneChannel({
  stream_id: id,
  stream: name,
}: {
  stream_id?: number | undefined;
  stream?: string | undefined;
}) {
  const named = id ?? name;
  if (named === undefined) throw badRequest("Please supply 'stream' or 'stream_id'.");
  if (id !== undefined && name !== undefined) throw badRequest("Please choose one: 'stream' or 'stream_id'.");
  return named;
}

/** Refuses to unmute a topic that the caller has not muted. 1 read unit. */
export async function checkMayMute(
  caller: Caller,
  channel: Channel,
  topic: string,
  op: "add" | "remove",
): Promise<void> {
  const isMuted = (await findUserTopic(caller.id, channel.id, topic))?.policy === 1;
  if (op === "remove" && !isMuted) throw badRequest("Topic is not muted");
}

/** Returns a channel, by ID or name, that the caller may read and whose topics' policies they may set. */
export async function accessTopicsChannel(caller: Caller, named: number | string): Promise<Channel> {
  const invalid = () =>
    badRequest(typeof named === "number" ? "Invalid channel ID" : `Invalid channel name '${named}'`);
  const id = typeof named === "number" ? named : await findChannelIdByName(named.trim());
  if (id === undefined) throw invalid();
  const [channel, subscription] = await Promise.all([findChannel(id), findSubscription(caller.id, id)]);
  if (!channel || !(await isContentReadable(caller, channel, subscription))) throw invalid();
  return channel;
}
