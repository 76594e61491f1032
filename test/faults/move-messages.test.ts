import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { handler as moveMessages } from "../../functions/messages/edit-message.ts";
import { observeTableCalls } from "../../shared/base/table-port/observe.ts";
import { accessMessageToChange } from "../../shared/messaging/messages/access.ts";
import { continueMessageMove } from "../../shared/messaging/messages/edit/continue-move.ts";
import { editMessage } from "../../shared/messaging/messages/edit/edit.ts";
import { continueMessageMoveJob } from "../../shared/messaging/messages/edit/jobs.ts";
import { toCaller } from "../../shared/services/identity/access.ts";
import type { Caller } from "../../shared/services/identity/caller.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import { withRequestScope } from "../../shared/store/table/recent-writes.ts";
import { findAccount } from "../../shared/store/users/accounts.ts";
import { deathsAt, withFailure } from "../support/faults.ts";
import { callInProcess } from "../support/hosts/in-process.ts";
import { fetchTopic } from "../support/messages.ts";
import { MovingTopics, someMoves } from "../support/model/moving-topics.ts";
import { forAtMost } from "../support/property.ts";
import { fc } from "../support/random.ts";
import { fillTopic } from "../support/table/fill-topic.ts";
import { runLeftoverJobs } from "../support/table/leftover-jobs.ts";
import { aChannel, aPerson, isLocal, type Person } from "../support/world.ts";

const resumeMoves = () => runLeftoverJobs(continueMessageMoveJob, ({ move_id }) => continueMessageMove(move_id));

const callerFor = async (person: Person) => {
  const account = await findAccount(person.email);
  return toCaller(account as NonNullable<typeof account>);
};

const userTopics = { fetch_event_types: ["user_topic"], event_types: [] };

const deaths = deathsAt([8, 11, 14, 17, 20, 23, 26, 29, 32, 35]);

describe.skipIf(!isLocal())("a move that dies at any call (the test's own process runs the function)", () => {
  test.each(deaths)(
    "at call %i, %s: all of the topic has moved with its policy or none, with one event",
    async (step, when) => {
      const puck = await aPerson("Puck");
      const wood = await aChannel("wood", [puck]);
      const sent = await fillTopic(puck, wood, "long", 200);
      await puck.do("POST", "/user_topics", { stream_id: wood.id, topic: "long", visibility_policy: 1 });
      const caller = await callerFor(puck);
      const realm = await loadRealm();
      const edit = { topic: "longer", propagateMode: "change_all", noticeToOld: false, noticeToNew: true } as const;
      const accessMessage = () => accessMessageToChange(caller, sent[0] as number, realm);

      await withFailure(step, when, () => editMessage(caller, accessMessage, edit, realm));
      await resumeMoves();
      await resumeMoves();

      const { user_topics } = await puck.do("POST", "/register", userTopics);
      const [remaining, moved] = [await fetchTopic(puck, wood, "long"), await fetchTopic(puck, wood, "longer")];
      const policy = { topic_name: moved.length === 0 ? "long" : "longer", visibility_policy: 1 };
      expect(user_topics).toEqual([expect.objectContaining(policy)]);
      if (moved.length === 0) expect(remaining).toHaveLength(sent.length);
      else {
        expect(remaining).toEqual([]);
        expect(moved.map(({ id }) => id).slice(0, -1)).toEqual(sent);
        expect(moved.at(-1).content).toMatch(/^This topic was moved here/);
        expect(moved.slice(0, -1).every(({ edit_history }) => edit_history.length === 1)).toBe(true);
      }
    },
  );

  test("a move that has waited 20 s for an earlier one is refused, and succeeds when that has ended", async () => {
    const puck = await aPerson("Puck");
    const wood = await aChannel("wood", [puck]);
    const [first, ...others] = await fillTopic(puck, wood, "long", 200);
    await puck.do("POST", "/user_topics", { stream_id: wood.id, topic: "long", visibility_policy: 3 });
    const move = (topic: string) =>
      callInProcess(moveMessages, puck, {
        path: { message_id: String(first) },
        form: { topic, propagate_mode: "change_all" },
      });
    await withFailure(25, "before", () => move("longer"));
    const [remaining, moved] = [await fetchTopic(puck, wood, "long"), await fetchTopic(puck, wood, "longer")];
    expect([remaining.length > 0, moved.length > 0]).toEqual([true, true]);

    // The time passes while the request reads the record of the earlier move.
    vi.useFakeTimers({ toFake: ["Date"] });
    let isLate = false;
    const stopObserving = observeTableCalls(async ({ request }, proceed) => {
      if (!isLate && JSON.stringify(request).includes("MOVE#")) {
        isLate = true;
        vi.setSystemTime(Date.now() + 20_000);
      }
      return proceed();
    });
    const refused = await move("longest").finally(() => {
      stopObserving();
      vi.useRealTimers();
    });
    expect(refused).toMatchObject({ status: 503, body: { result: "error", code: "SERVICE_UNAVAILABLE" } });
    expect(await fetchTopic(puck, wood, "longest")).toEqual([]);

    expect(await move("longest")).toMatchObject({ status: 200 });
    const ids = (await fetchTopic(puck, wood, "longest")).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([first, ...others]));
    const { user_topics } = await puck.do("POST", "/register", userTopics);
    expect(user_topics).toEqual([expect.objectContaining({ topic_name: "longest", visibility_policy: 3 })]);
  });

  test("policies are where their topic's messages are when several people move it at once and some die", async () => {
    const scene = await MovingTopics.create();
    const callers = await Promise.all(scene.movers.map(callerFor));
    const realm = await loadRealm();
    const death = fc.record({ call: fc.integer({ min: 5, max: 50 }), when: fc.constantFrom("before", "afterwards") });
    const fates = fc.array(fc.option(death, { freq: 1 }), { minLength: 4, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        someMoves,
        fates,
        fc.nat(40),
        forAtMost(40_000, async ({ isWhole, moves }, deathsOf, jobsAfterMs) => {
          await scene.begin({ isWhole });
          const attempts = moves.map(async (move, index) => {
            const { messageId, params } = scene.request(move);
            const caller = callers[move.mover] as Caller;
            const edit = {
              ...{ topic: params.topic, channelId: params.stream_id, propagateMode: params.propagate_mode },
              noticeToOld: params.send_notification_to_old_thread,
              noticeToNew: params.send_notification_to_new_thread,
            };
            const work = () =>
              withRequestScope(() =>
                editMessage(caller, () => accessMessageToChange(caller, messageId, realm), edit, realm),
              );
            await pause(move.delayMs);
            const { call, when } = deathsOf[index] ?? { call: Number.POSITIVE_INFINITY, when: "before" };
            const { reached, error } = await withFailure(call, when as "before", work);
            if (!reached) expect(error).toBeUndefined();
          });
          // Jobs run more than once, also while those who sent them are still at work.
          await Promise.all([...attempts, pause(jobsAfterMs).then(resumeMoves)]);
          await Promise.all([resumeMoves(), resumeMoves()]);
          expect(await scene.faults({ isWhole })).toEqual([]);
        }),
      ),
      { numRuns: 30, endOnFailure: true },
    );
  });
});
