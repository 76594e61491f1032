import { type Channel, listChannels, updateChannelIfUnchanged } from "../../store/channels/channels.ts";
import { eventForMembers, type LoggedEvent } from "../../store/log/entry.ts";
import type { Change } from "../../store/log/log.ts";
import { defaultChannelIds } from "../channels/state.ts";

/** Adds a channel to the default channels, or removes it. Idempotent. Conflicts if the channel has changed since it was read. */
export async function setDefault(channel: Channel, isDefault: boolean): Promise<Change | undefined> {
  if (channel.isDefault === isDefault) return undefined;
  const event = await defaultStreamsChangedEvent(channel.id, isDefault);
  return { writes: [updateChannelIfUnchanged(channel, { isDefault })], events: [event] };
}

/** An event with the whole new list of default channels. Guests do not receive it. */
export async function defaultStreamsChangedEvent(changedId: number, isDefault: boolean): Promise<LoggedEvent> {
  const otherIds = defaultChannelIds(await listChannels()).filter((id) => id !== changedId);
  const ids = (isDefault ? [...otherIds, changedId] : otherIds).sort((a, b) => a - b);
  return eventForMembers({ type: "default_streams", default_streams: ids });
}
