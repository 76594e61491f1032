import { type Channel, findChannel, listChannels, updateChannelIfUnchanged } from "../../store/channels/channels.ts";
import { eventForMembers, type LoggedEvent } from "../../store/log/entry.ts";
import { commit } from "../../store/log/log.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";
import { defaultChannelIds } from "../channels/state.ts";

/** Adds a channel to the default channels, or removes it. Idempotent. */
export async function setDefault(channel: Channel, isDefault: boolean): Promise<void> {
  let knownChannel: Channel | undefined = channel;
  await retryOnConflict(async () => {
    const before = knownChannel ?? (await findChannel(channel.id));
    // After a conflict, the channel is read again.
    knownChannel = undefined;
    if (!before || before.isDefault === isDefault) return;
    const event = await defaultStreamsChangedEvent(before.id, isDefault);
    await commit({ writes: [updateChannelIfUnchanged(before, { isDefault })], events: [event] });
  });
}

/** An event with the whole new list of default channels. Guests do not receive it. */
export async function defaultStreamsChangedEvent(changedId: number, isDefault: boolean): Promise<LoggedEvent> {
  const otherIds = defaultChannelIds(await listChannels()).filter((id) => id !== changedId);
  const ids = (isDefault ? [...otherIds, changedId] : otherIds).sort((a, b) => a - b);
  return eventForMembers({ type: "default_streams", default_streams: ids });
}
