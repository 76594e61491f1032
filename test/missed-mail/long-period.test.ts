import { expect, onTestFinished } from "vitest";
import { observeTableCalls } from "../../shared/base/table-port/observe.ts";
import { nowSeconds } from "../../shared/base/time.ts";
import { sendMissed } from "../../shared/messaging/missed-mail/send.ts";
import { addToDueMail, findDueMail, putNotes } from "../../shared/store/delivery/missed-messages.ts";
import { withRequestScope } from "../../shared/store/table/recent-writes.ts";
import { holdLog, releaseLog } from "../support/table/follower.ts";
import { aHistory } from "../support/table/seeding.ts";
import { aChannel, aPerson, localTest } from "../support/world.ts";

/** As many as a worker reads at once. */
const maxMessagesAtOnce = 500;

localTest("it does the worker's work in the test's process")(
  "a mail about more messages than fit into memory names the first and counts the others",
  async () => {
    await holdLog();
    onTestFinished(() => releaseLog());
    const [sender, reader] = [await aPerson("Celia"), await aPerson("Rosalind")];
    const channel = await aChannel("arden", [sender, reader]);
    const count = 1_100;
    const mention = `<span class="user-mention" data-user-id="${reader.id}">@Rosalind</span> `;
    const mentionOfAll = `<span class="user-mention channel-wildcard-mention" data-user-id="*">@all</span> `;
    const { first, last } = await aHistory(count, {
      channel,
      senderId: () => sender.id,
      opening: (index) => (index === count - 1 ? mention : mentionOfAll),
    });
    const messageIds = Array.from({ length: count }, (_, index) => first + index);
    const conversation = `${channel.id}#breach`;
    await putNotes([{ conversation, messageIds, userIds: [reader.id] }], 0);
    const conversations = new Set([conversation]);
    await addToDueMail(reader.id, { dueAt: nowSeconds() - 1, from: first, conversations });
    let [reading, most] = [0, 0];
    onTestFinished(
      observeTableCalls(async ({ name, request }, proceed) => {
        const keys = name === "batchGet" ? JSON.stringify(request).split("MESSAGE#").length - 1 : 0;
        reading += keys;
        most = Math.max(most, reading);
        return proceed().finally(() => {
          reading -= keys;
        });
      }),
    );

    await withRequestScope(() => sendMissed(reader.id));

    const [decided] = (await findDueMail(reader.id))?.decided ?? [];
    expect(decided).toMatchObject({ omitted: count - 20, reason: "you were mentioned" });
    expect(decided?.messageIds).toEqual(messageIds.slice(0, 20));
    expect(last).toBe(messageIds.at(-1));
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(maxMessagesAtOnce);
  },
);
