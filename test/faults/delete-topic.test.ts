import { describe, expect, test } from "vitest";
import { accessChannelContent } from "../../shared/core/channels/channel-access.ts";
import { continueTopicDeletion, deleteTopicFor } from "../../shared/features/channels/delete-topic.ts";
import { continueTopicDeletionJob } from "../../shared/features/channels/jobs.ts";
import { toCaller } from "../../shared/services/identity/access.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import { findTopicDeletion } from "../../shared/store/channels/topic-deletions.ts";
import { findAccount } from "../../shared/store/users/accounts.ts";
import { deathsAt, withFailure } from "../support/faults.ts";
import { eventsAfter, logEnd } from "../support/log.ts";
import { fetchTopic, sendToChannel } from "../support/messages.ts";
import { fillTopic } from "../support/table/fill-topic.ts";
import { runLeftoverJobs } from "../support/table/leftover-jobs.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, isLocal } from "../support/world.ts";

/** Runs the jobs that the sweeper would send; returns the IDs of the deletions that they continued. */
async function resumeDeletions(): Promise<string[]> {
  const ids: string[] = [];
  await runLeftoverJobs(continueTopicDeletionJob, async ({ deletion_id }) => {
    ids.push(deletion_id);
    await continueTopicDeletion(deletion_id);
  });
  return ids;
}

async function aLongTopic() {
  const prospero = await aPerson("Prospero", { role: "administrator" });
  const island = await aChannel("island", [prospero]);
  const sent = await fillTopic(prospero, island, "storm", 120);
  const account = await findAccount(prospero.email);
  const caller = toCaller(account as NonNullable<typeof account>);
  const realm = await loadRealm();
  const end = await logEnd();
  return {
    prospero,
    island,
    sent,
    deleteFor: async (budgetMs?: number) =>
      deleteTopicFor(await accessChannelContent(caller, island.id, realm), "Storm", realm, budgetMs),
    received: async () => {
      const events = await eventsAfter(end, "delete_message", ({ stream_id }) => stream_id === island.id);
      return events.flatMap(({ event }) => event.message_ids as number[]).sort((a, b) => a - b);
    },
    topics: async () => (await prospero.call("GET", `/users/me/${island.id}/topics`)).body.topics as unknown[],
  };
}

const deaths = deathsAt(Array.from({ length: 14 }, (_, index) => 3 + 2 * index));

describe.skipIf(!isLocal())("the deletion of a topic (the test's own process runs the function)", () => {
  test.each(deaths)(
    "that dies at call %i, %s: all messages are deleted or none, with one event each",
    async (step, when) => {
      const { prospero, island, sent, deleteFor, received, topics } = await aLongTopic();

      const { result: isComplete } = await withFailure(step, when, () => deleteFor());
      await resumeDeletions();
      const resumedTwice = await resumeDeletions();

      const remaining = await fetchTopic(prospero, island, "storm");
      if (isComplete) expect(remaining).toEqual([]);
      if (remaining.length > 0) {
        expect(remaining).toHaveLength(sent.length);
        expect(await received()).toEqual([]);
      } else {
        expect(await received()).toEqual(sent);
        expect(await topics()).toEqual([]);
      }
      for (const id of resumedTwice) expect(await findTopicDeletion(id)).toBeUndefined();
    },
  );

  test("that runs out of time reports that it is incomplete, and the job deletes the rest but keeps later messages", async () => {
    const { prospero, island, sent, deleteFor, received, topics } = await aLongTopic();

    const complete = await deleteFor(0);
    const laterMessageId = await sendToChannel(prospero, island, "storm", "sent after the deletion began");
    await resumeDeletions();

    expect(complete).toBe(false);
    await eventually(async () => (await fetchTopic(prospero, island, "storm")).length === 1);
    expect((await fetchTopic(prospero, island, "storm")).map(({ id }) => id)).toEqual([laterMessageId]);
    expect(await received()).toEqual(sent);
    expect(await topics()).toEqual([{ name: "storm", max_id: laterMessageId }]);
  });
});
