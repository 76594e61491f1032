import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { MovingTopics, someMoves } from "../support/model/moving-topics.ts";
import { forAtMost } from "../support/property.ts";
import { fc } from "../support/random.ts";
import { isLocal } from "../support/world.ts";

test("policies are where their topic's messages are when several people move it at once", {
  timeout: 120_000,
}, async () => {
  const scene = await MovingTopics.create();
  await fc.assert(
    fc.asyncProperty(
      someMoves,
      forAtMost(isLocal() ? 15_000 : 8_000, async ({ isWhole, moves }) => {
        await scene.begin({ isWhole });
        const replies = await Promise.all(
          moves.map(async (move) => {
            const { mover, messageId, params } = scene.request(move);
            // People are not in step.
            await pause(move.delayMs);
            return mover.call("PATCH", `/messages/${messageId}`, params);
          }),
        );
        expect(replies.map(({ status }) => status)).toEqual(moves.map(() => 200));
        expect(await scene.faults({ isWhole })).toEqual([]);
      }),
    ),
    { numRuns: 10, endOnFailure: true },
  );
});
