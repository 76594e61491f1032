import { type Channel, changeChannel, findChannel, listChannels } from "../store/channels.ts";
import { commit, type LoggedEvent } from "../store/log.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { defaultChannelIds } from "./state.ts";

/** Makes a channel a default one, or not; done already, it does nothing. */
export async function setDefault(channel: Channel, isDefault: boolean): Promise<void> {
  let current: Channel | undefined = channel;
  while (current && current.isDefault !== isDefault) {
    const before: Channel = current;
    const event = await defaultStreamsEvent(before.id, isDefault);
    try {
      await commit({ events: 1 }, () => ({
        writes: [changeChannel(before, { isDefault })],
        events: [event],
        result: undefined,
      }));
      return;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      current = await findChannel(before.id);
    }
  }
}

/** The whole new list, as clients get it. */
export async function defaultStreamsEvent(changedId: number, isDefault: boolean): Promise<LoggedEvent> {
  const others = defaultChannelIds(await listChannels()).filter((id) => id !== changedId);
  const ids = (isDefault ? [...others, changedId] : others).sort((a, b) => a - b);
  return { audience: { kind: "everyone" }, event: { type: "default_streams", default_streams: ids } };
}
