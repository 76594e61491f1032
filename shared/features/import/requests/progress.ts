import type { ReportProgress } from "../../../base/progress.ts";
import { type ImportRequest, updateImportRequest } from "../../../store/organization/import-request.ts";

const pauseMs = 3000;

/**
 * Tells those who follow a request how far it has come. `report` throws once the request has been given up, or is no longer in its
 * state. `end` resolves when nothing more is told.
 */
export function followProgress(request: ImportRequest): { report: ReportProgress; end(): Promise<void> } {
  let told = 0;
  let isStopped = false;
  let telling: Promise<void> | undefined;
  const tell = async (done: number, total: number) => {
    try {
      const current = await updateImportRequest(request, { done, total });
      isStopped = !current || (current.isGivenUp === true && !request.isGivenUp);
    } catch {
      // It is told the next time.
    }
  };
  return {
    report: (done, total = done) => {
      if (isStopped) throw new Error("The import has been given up, or is done by another run");
      if (telling || Date.now() < told + pauseMs) return;
      told = Date.now();
      telling = tell(done, total).finally(() => (telling = undefined));
    },
    end: async () => telling,
  };
}
