import { checkOldUrl, type MattermostOptions, planOf } from "../mattermost/plan.ts";
import type { ImportPlan } from "../plan.ts";
import { ImportReport } from "../report.ts";
import { readRocketChatDump } from "./format.ts";

/** Reads a dump of the database, keeping its messages in a temporary file, and says what each part of it becomes. */
export async function planRocketChatImport(folder: string, options: MattermostOptions): Promise<ImportPlan> {
  checkOldUrl(options);
  const report = new ImportReport();
  return planOf(readRocketChatDump(folder, report), options, report);
}
