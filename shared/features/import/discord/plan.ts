import { ArchiveError } from "../archive.ts";
import { type MattermostOptions, planOf } from "../mattermost/plan.ts";
import type { ImportPlan } from "../plan.ts";
import { ImportReport } from "../report.ts";
import { readDiscordExport } from "./format.ts";

/** Reads the files, keeping their messages in a temporary file, and says what each part of them becomes. */
export async function planDiscordImport(folder: string, options: MattermostOptions): Promise<ImportPlan> {
  const [, name = "", address = ""] = /^([^=]+)=([^=]+@[^=]+)$/.exec(options.ownerEmail ?? "") ?? [];
  if (name.trim() === "")
    throw new ArchiveError(
      "A Discord export has no email addresses: give the owner's name in Discord and their address with --owner <name>=<address>",
    );
  const report = new ImportReport();
  const owner = { name: name.trim(), address: address.trim() };
  return planOf(readDiscordExport(folder, owner, report), { ...options, ownerEmail: owner.address }, report);
}
