import type { ReportProgress } from "../shared/base/progress.ts";

/** The part of a stream that `withProgress` needs. */
interface ProgressOutput {
  isTTY?: boolean;
  write(text: string): unknown;
}

const barWidth = 30;
const redrawIntervalMs = 100;
const lineIntervalMs = 10_000;
const clearLine = "\r\x1b[K";

/** A line such as "Building functions [######........] 20 %"; with only a count, "Exported items: 12,000". */
export function progressLine(label: string, done: number, total?: number): string {
  if (!total) return `${label}: ${done.toLocaleString("en")}`;
  const share = Math.min(1, done / total);
  const filled = Math.floor(share * barWidth);
  return `${label} [${"#".repeat(filled)}${".".repeat(barWidth - filled)}] ${Math.floor(share * 100)} %`;
}

/**
 * Runs `work` and shows how far it is on standard error: on a terminal as a bar that is redrawn and disappears when the work
 * is done, elsewhere as a line every ten seconds.
 */
export async function withProgress<T>(
  label: string,
  work: (report: ReportProgress) => Promise<T>,
  output: ProgressOutput = process.stderr,
): Promise<T> {
  const { isTTY = false } = output;
  let shownAt = isTTY ? 0 : Date.now();
  let isBarShown = false;
  const removeBar = () => {
    if (isBarShown) output.write(clearLine);
    isBarShown = false;
  };
  const report: ReportProgress = (done, total) => {
    if (done === total) return removeBar();
    const now = Date.now();
    if (now - shownAt < (isTTY ? redrawIntervalMs : lineIntervalMs)) return;
    shownAt = now;
    isBarShown = isTTY;
    const line = progressLine(label, done, total);
    output.write(isTTY ? `${clearLine}${line}` : `${line}\n`);
  };
  try {
    return await work(report);
  } finally {
    removeBar();
  }
}
