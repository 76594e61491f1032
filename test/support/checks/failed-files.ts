import { writeFileSync } from "node:fs";
import type { SerializedError } from "vitest";
import type { Reporter, TestModule } from "vitest/node";

/** Where the files of failed cases are listed. */
export const failedFilesVariable = "SKEIN_FAILED_FILES";

/** A reporter that lists the files in which a case failed, unless something else failed, such as code that runs after its case. */
// biome-ignore lint/style/noDefaultExport: Vitest takes the default export.
export default class FailedFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const failed = modules.filter((module) => !module.ok()).map(({ moduleId }) => moduleId);
    writeFileSync(process.env[failedFilesVariable] as string, JSON.stringify(unhandledErrors.length > 0 ? [] : failed));
  }
}
