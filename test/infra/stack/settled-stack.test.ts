import { expect, test, vi } from "vitest";
import type { DeployedStack } from "../../../infra/stack/deployed-stack.ts";
import { findSettledStack } from "../../../infra/stack/settled-stack.ts";

/** Finds a stack that has one status after another; without one, there is no stack. */
function found(...statuses: (string | undefined)[]) {
  const left = [...statuses];
  const find = async (name: string) => {
    const status = left.shift();
    return status === undefined ? undefined : ({ name, status } as DeployedStack);
  };
  return { left, settled: async () => (await findSettledStack("Skein", find, 1))?.status };
}

test.each([
  "CREATE_IN_PROGRESS",
  "UPDATE_IN_PROGRESS",
  "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS",
  "UPDATE_ROLLBACK_IN_PROGRESS",
  "ROLLBACK_IN_PROGRESS",
])("a stack in %s is waited for until CloudFormation has finished, and the operator is told", async (status) => {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const { left, settled } = found(status, status, "ROLLBACK_COMPLETE", "not read");

  expect(await settled()).toBe("ROLLBACK_COMPLETE");
  expect(left).toEqual(["not read"]);
  expect(log.mock.calls).toEqual([[expect.stringContaining(`still changing Skein (${status})`)]]);
  log.mockRestore();
});

test("a stack that is being deleted is gone afterwards", async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});

  expect(await found("DELETE_IN_PROGRESS", undefined).settled()).toBeUndefined();

  log.mockRestore();
});

test.each([undefined, "CREATE_COMPLETE", "REVIEW_IN_PROGRESS", "UPDATE_ROLLBACK_COMPLETE"])(
  "nothing is waited for when the status is %s",
  async (status) => {
    expect(await found(status, "not read").settled()).toBe(status);
  },
);
