import { expect, test } from "vitest";
import { conflict, firstWriteFailed, retryOnConflict } from "../../shared/store/table/conflicts.ts";
import { ConditionFailed } from "../../shared/store/table/transactions.ts";

const backoff = () => 0;
const failedAt = (...positions: number[]) => new ConditionFailed(positions, new Map());

test("conflicts are retried, whether thrown or returned", async () => {
  let attempts = 0;

  const result = await retryOnConflict(
    async () => {
      attempts++;
      if (attempts === 1) throw failedAt(0);
      return attempts === 2 ? conflict : "done";
    },
    { backoff },
  );

  expect([result, attempts]).toEqual(["done", 3]);
});

test("after the maximum of attempts the error of `exhausted` is thrown, or else the last conflict", async () => {
  let attempts = 0;
  const alwaysConflict = async () => {
    attempts++;
    throw failedAt(0);
  };

  await expect(retryOnConflict(alwaysConflict, { backoff })).rejects.toThrow(ConditionFailed);
  await expect(
    retryOnConflict(alwaysConflict, { backoff, attempts: 4, exhausted: () => new Error("busy") }),
  ).rejects.toThrow("busy");

  // 30 attempts are the default.
  expect(attempts).toBe(30 + 4);
});

test("an error other than a conflict is thrown at once", async () => {
  let attempts = 0;
  const throwing = (error: Error) => async () => {
    attempts++;
    throw error;
  };

  await expect(retryOnConflict(throwing(new Error("no")), { backoff })).rejects.toThrow("no");
  await expect(retryOnConflict(throwing(failedAt(1)), { backoff, isConflict: firstWriteFailed })).rejects.toThrow(
    ConditionFailed,
  );

  expect(attempts).toBe(2);
});
