import { mayHaveContent } from "../channels/content.ts";
import { badRequest } from "../errors.ts";
import { type Channel, findChannel, findChannelIdByName } from "../store/channels.ts";
import { findSubscription } from "../store/subscriptions.ts";
import type { Caller } from "../users/caller.ts";

/** The channel, by ID or name, for whose topics the caller may choose something: one that they may read. */
export async function accessTopicsChannel(caller: Caller, named: number | string): Promise<Channel> {
  const invalid = () =>
    badRequest(typeof named === "number" ? "Invalid channel ID" : `Invalid channel name '${named}'`);
  const id = typeof named === "number" ? named : await findChannelIdByName(named.trim());
  if (id === undefined) throw invalid();
  const [channel, subscription] = await Promise.all([findChannel(id), findSubscription(caller.id, id)]);
  if (!channel || !(await mayHaveContent(caller, channel, subscription))) throw invalid();
  return channel;
}
