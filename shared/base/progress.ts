/** Reports that `done` of `total` is finished, in any unit; without a total, only the count is shown. */
export type ReportProgress = (done: number, total?: number) => void;
