import { timingSafeEqual } from "node:crypto";
import { badRequest, pathNotFound } from "../../base/errors.ts";
import { type DataExport, findExport } from "../../store/organization/exports.ts";

/** Returns an export whose archive exists and may be deleted. */
export async function accessExportToDelete(id: number): Promise<DataExport> {
  const found = id > 0 ? await findExport(id) : undefined;
  if (!found) throw badRequest("Invalid data export ID");
  if (found.status === "deleted") throw badRequest("Export already deleted");
  if (found.status === "failed") throw badRequest("Export failed, nothing to delete");
  if (found.status === "pending") throw badRequest("Export still in progress");
  return found;
}

/** Returns an export by ID and token; a wrong token and an unknown, deleted or unfinished export give the same 404. */
export async function accessArchive(id: number, token: string): Promise<DataExport> {
  const found = id > 0 ? await findExport(id) : undefined;
  const [given, expected] = [Buffer.from(token), Buffer.from(found?.token ?? "")];
  const matches = given.length === expected.length && timingSafeEqual(given, expected);
  if (!found || !matches || found.status !== "done") throw pathNotFound();
  return found;
}
