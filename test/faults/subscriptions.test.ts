import { expect, test } from "vitest";
import { addChannel } from "../../shared/features/channels/create.ts";
import { subscribe, unsubscribe } from "../../shared/features/subscriptions/subscribe.ts";
import { findChannelIdByName, findChannelWithStats } from "../../shared/store/channels/channels.ts";
import { findSubscriptionsTo, listSubscriberIds } from "../../shared/store/channels/subscriptions.ts";
import { takeIds } from "../../shared/store/table/counters.ts";
import { withFailure } from "../support/faults.ts";
import { aChannel } from "../support/world.ts";

/** IDs that no user has: the users exist only in subscriptions. */
const takeUserIds = async (count: number) => {
  const first = await takeIds("recipient", count);
  return Array.from({ length: count }, (_, index) => 1_000_000 + first + index);
};

const stateOf = async (id: number) => ({
  count: (await findChannelWithStats(id))?.stats.subscriberCount,
  ids: await listSubscriberIds(id),
});

test.each(["before", "afterwards"] as const)(
  "a request to subscribe users that fails %s any of its calls is completed by repeating it, and the count is always right",
  async (when) => {
    for (let nth = 1; ; nth++) {
      const channel = await aChannel("stage", []);
      const ids = await takeUserIds(120);

      const { reached } = await withFailure(nth, when, () => subscribe(channel, ids));
      const stateBetween = await stateOf(channel.id);
      await subscribe(channel, ids);

      expect(stateBetween.count).toBe(stateBetween.ids.length);
      expect(await stateOf(channel.id)).toEqual({ count: 120, ids });
      const subscriptions = await findSubscriptionsTo(channel.id, ids);
      expect(subscriptions.every((subscription) => subscription?.periods.length === 1)).toBe(true);
      if (!reached) break;
      expect(nth).toBeLessThan(30);
    }
  },
);

test("an unsubscription that fails at any call is complete after a retry", async () => {
  for (let nth = 1; ; nth++) {
    const channel = await aChannel("stage", []);
    const ids = await takeUserIds(100);
    await subscribe(channel, ids);

    const { reached } = await withFailure(nth, "afterwards", () => unsubscribe(channel, ids));
    const stateBetween = await stateOf(channel.id);
    await unsubscribe(channel, ids);

    expect(stateBetween.count).toBe(stateBetween.ids.length);
    expect(await stateOf(channel.id)).toEqual({ count: 0, ids: [] });
    if (!reached) break;
  }
});

test.each(["before", "afterwards"] as const)(
  "a channel whose creation fails %s any of its calls exists with all of its subscribers, or does not exist",
  async (when) => {
    for (let nth = 1; ; nth++) {
      const name = `half ${when} ${nth} ${Math.random().toString(36).slice(2)}`;
      const ids = await takeUserIds(100);

      const { reached } = await withFailure(nth, when, () => addChannel({ name }, null, ids));

      const id = await findChannelIdByName(name);
      if (id !== undefined) expect(await stateOf(id)).toEqual({ count: 100, ids });
      if (!reached) {
        expect(id).toBeDefined();
        break;
      }
    }
  },
);
