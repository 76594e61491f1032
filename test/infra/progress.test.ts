import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { progressLine, withProgress } from "../../infra/progress.ts";

/** How long commands show their progress, on a clock that the cases advance. */

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

/** Reports 0 to 30 of 30, one a second, and returns what was written. */
async function reportThirty(isTTY: boolean): Promise<string[]> {
  const writes: string[] = [];
  const output = { isTTY, write: (text: string) => writes.push(text) };
  const report30 = async (report: (done: number, total: number) => void) => {
    for (let done = 0; done <= 30; done++) {
      report(done, 30);
      vi.setSystemTime(Date.now() + 1000);
    }
    return "result";
  };
  expect(await withProgress("Building", report30, output)).toBe("result");
  return writes;
}

test("a line shows a bar and a percentage, and without a total the count", () => {
  expect(progressLine("Building", 20, 80)).toBe("Building [#######.......................] 25 %");
  expect(progressLine("Building", 81, 80)).toBe("Building [##############################] 100 %");
  expect(progressLine("Exported items", 12_000)).toBe("Exported items: 12,000");
});

test("on a terminal the bar is redrawn at each report and removed when the work is done", async () => {
  const writes = await reportThirty(true);

  expect(writes).toHaveLength(31);
  expect(writes[0]).toBe("\r\x1b[KBuilding [..............................] 0 %");
  expect(writes.slice(-2)).toEqual(["\r\x1b[KBuilding [#############################.] 96 %", "\r\x1b[K"]);
});

test("without a terminal, a line is written every ten seconds", async () => {
  expect(await reportThirty(false)).toEqual([
    "Building [##########....................] 33 %\n",
    "Building [####################..........] 66 %\n",
  ]);
});

test("the bar is removed when the work fails", async () => {
  const writes: string[] = [];
  const fail = async (report: (done: number) => void) => {
    report(5);
    throw new Error("The table is busy");
  };

  const failing = withProgress("Exported items", fail, { isTTY: true, write: (text) => writes.push(text) });

  await expect(failing).rejects.toThrow("The table is busy");
  expect(writes).toEqual(["\r\x1b[KExported items: 5", "\r\x1b[K"]);
});
