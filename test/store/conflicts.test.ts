import { describe, expect, test } from "vitest";
import { Unavailable } from "../../shared/base/aws/unavailable.ts";
import { alreadyDone, retryOnConflict, succeeds, succeedsOnce } from "../../shared/store/table/conflicts.ts";
import { ConditionFailed, transact } from "../../shared/store/table/transactions.ts";
import { create, type Item, put, withRefusal } from "../../shared/store/table/writes.ts";
import { unique } from "../support/unique.ts";
import "../support/world.ts";

const backoff = () => 0;

test("an attempt is repeated until it meets no conflict", async () => {
  let attempts = 0;

  const result = await retryOnConflict(
    async () => {
      attempts++;
      if (attempts < 3) throw new ConditionFailed();
      return "done";
    },
    { backoff },
  );

  expect([result, attempts]).toEqual(["done", 3]);
});

test("after the maximum of attempts the error of `exhausted` is thrown, or else Unavailable", async () => {
  let attempts = 0;
  const alwaysConflict = async () => {
    attempts++;
    throw new ConditionFailed();
  };

  await expect(retryOnConflict(alwaysConflict, { backoff })).rejects.toThrow(Unavailable);
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

  expect(attempts).toBe(1);
});

describe("a failed condition", () => {
  const aKey = () => ({ pk: unique("REFUSAL"), sk: "ITEM" });

  test("throws what the first write whose condition failed says, given the stored item", async () => {
    const [held, alsoHeld] = [aKey(), aKey()];
    await transact([put({ ...held, owner: "ada" }), put(alsoHeld)]);
    const refusal = (existing: Item | undefined) => new Error(`held by ${existing?.owner}`);

    const writing = transact(
      [put(aKey()), withRefusal(create(held), refusal), withRefusal(create(alsoHeld), () => new Error("second"))],
      { refusal: () => new Error("general") },
    );

    await expect(writing).rejects.toThrow("held by ada");
    await expect(transact([create(alsoHeld)], { refusal: () => new Error("general") })).rejects.toThrow("general");
    await expect(transact([create(alsoHeld)])).rejects.toThrow(ConditionFailed);
  });

  test("makes `succeeds` false only without an error of its own", async () => {
    const held = aKey();
    await transact([put(held)]);

    expect(await succeeds(transact([create(aKey())]))).toBe(true);
    expect(await succeeds(transact([create(held)]))).toBe(false);
    await expect(succeeds(transact([withRefusal(create(held), () => new Error("refused"))]))).rejects.toThrow(
      "refused",
    );
  });

  test("tells a second run from another conflict", async () => {
    const [mark, other] = [aKey(), aKey()];
    const run = () => transact([withRefusal(create(mark), alreadyDone), create(other)]);

    expect(await succeedsOnce(run())).toBe(true);
    expect(await succeedsOnce(run())).toBe(false);
    await expect(succeedsOnce(transact([withRefusal(create(aKey()), alreadyDone), create(other)]))).rejects.toThrow(
      ConditionFailed,
    );
  });
});
