import { readFileSync } from "node:fs";
import { expect, onTestFinished, vi } from "vitest";
import { withTrace } from "../../shared/base/observability/trace.ts";
import { noteMissed } from "../../shared/messaging/missed-mail/note-missed.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import { putUserTopic } from "../../shared/store/channels/user-topics.ts";
import { findDueMail, seenDueMails } from "../../shared/store/delivery/missed-messages.ts";
import { batchWrite } from "../../shared/store/table/bulk.ts";
import { withRequestScope } from "../../shared/store/table/recent-writes.ts";
import { sendToChannel } from "../support/messages.ts";
import { aCrowd } from "../support/table/crowd.ts";
import { holdLog, releaseLog } from "../support/table/follower.ts";
import { aChannel, aPerson, costTest } from "../support/world.ts";

vi.setConfig({ testTimeout: 300_000 });

/** What the log consumer does for mail in one step with these messages, at sequence numbers that its cursor has passed. */
const note = (messageIds: readonly number[]) =>
  withTrace(() =>
    withRequestScope(async () =>
      noteMissed(
        messageIds.map((message_id) => ({ sequence: 0, event: { type: "message", message_id } })),
        await loadRealm(),
      ),
    ),
  );

costTest("in a busy topic, a message costs next to nothing for a thousand absent followers", async () => {
  // Stops the fleet's own workers, which would note the messages at the same time.
  await holdLog();
  onTestFinished(() => releaseLog());
  const [candidates, count] = [1000, 40];
  const sender = await aPerson("Dogberry");
  const channel = await aChannel("watch", [sender]);
  const week = { email_notifications_batching_period_seconds: 604_800 };
  const crowd = await aCrowd(700_000, candidates, { channelId: channel.id, settings: week, hasAccount: true });
  const policies = crowd.ids.flatMap((userId) => {
    const write = putUserTopic({ userId, channelId: channel.id, topic: "lantern", policy: 3, updatedAt: 0 });
    return write.kind === "put" ? [write.item] : [];
  });
  await batchWrite(policies);
  onTestFinished(async () => {
    const dueMails = crowd.ids.map((id) => ({ pk: `USER#${id}`, sk: "DUEMAIL" }));
    await batchWrite([], [...policies, ...dueMails]);
    await crowd.remove();
  });
  const send = async (): Promise<number[]> => {
    const ids: number[] = [];
    while (ids.length < count) ids.push(await sendToChannel(sender, channel, "lantern", "Are you good men?"));
    return ids;
  };
  seenDueMails.clear();

  const first = await note([await sendToChannel(sender, channel, "lantern", "Well, you are to call")]);
  const next = await note(await send());

  for (const id of [crowd.ids[0], crowd.ids[candidates - 1]] as number[])
    expect((await findDueMail(id))?.conversations).toEqual(new Set([`${channel.id}#lantern`]));
  // One due mail each, with its entry in the index, and the note.
  expect(first.trace.writeUnits).toBeLessThanOrEqual(2 * candidates + 2);
  const budget = /at most ([\d.]+) table calls and ([\d.]+) write units/.exec(
    readFileSync("docs/data-model.md", "utf8"),
  );
  expect(next.trace.tableCalls / count).toBeLessThanOrEqual(Number(budget?.[1]));
  expect(next.trace.writeUnits / count).toBeLessThanOrEqual(Number(budget?.[2]));
  expect(next.trace.readUnits / count).toBeLessThanOrEqual(2);
});
