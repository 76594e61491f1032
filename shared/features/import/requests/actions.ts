import { randomBytes, randomUUID } from "node:crypto";
import { ApiError, badRequest } from "../../../base/errors.ts";
import { startRun } from "../../../services/jobs/schedules.ts";
import { auditRecord } from "../../../store/organization/audit-log.ts";
import {
  changeImportRequest,
  findImportRequest,
  type ImportRequest,
  type ImportState,
  putImportRequest,
  updateImportRequest,
} from "../../../store/organization/import-request.ts";
import { ConditionFailed, transact, tryTransact } from "../../../store/table/transactions.ts";
import { ArchiveError } from "../archive-allowance.ts";
import { findReplaceable } from "../replaced.ts";
import { hashOf } from "./access.ts";
import { deleteParts, linkSeconds, maxArchiveBytes, presignPart } from "./parts.ts";

/** What an owner does with an import in the page. The work of it is done by the function of `importRuns`. */

/** The recurring work that checks, writes and gives up imports, and deletes what is left of them. */
export const importRuns = "imports";

/** Starts that work now. If this fails, or its function dies, the work's next run does it, or whoever looks at the state starts it. */
export const startImportRun = (): Promise<void> => startRun(importRuns);

export const changedMeanwhile = () => badRequest("The import has changed in the meantime. Look at its state.");

/** Makes room for an archive; returns the token by which the import is followed. */
export async function requestImport(
  ownerId: number,
  { fileName, size, ownerName }: Pick<ImportRequest, "fileName" | "size" | "ownerName">,
): Promise<{ token: string }> {
  if (!/\.(zip|tar\.gz|tgz)$/i.test(fileName)) throw badRequest("Upload a .zip or a .tar.gz file.");
  if (size > maxArchiveBytes)
    throw new ApiError(
      "BAD_REQUEST 413",
      `The archive is larger than ${maxArchiveBytes / 1024 ** 2} MB. The server's operator can import it with npm run import.`,
    );
  const before = await findImportRequest();
  if (before && (before.state === "checking" || before.state === "importing"))
    throw badRequest("An archive is being checked or imported already.");
  await checkReplaceable();
  const token = randomBytes(24).toString("base64url");
  const now = Date.now();
  const request: ImportRequest = {
    ...{ id: randomUUID(), tokenHash: hashOf(token), ownerId, fileName, size, ...(ownerName && { ownerName }) },
    ...{ state: "uploading", changedAt: now, linksEndAt: now, leaseUntil: 0, attempts: 0 },
    // The last one in any case: this process may die before it has deleted its parts.
    former: [before ?? [], (before?.former ?? []).filter(({ linksEndAt }) => linksEndAt > now)]
      .flat()
      .map(({ id, size: bytes, linksEndAt }) => ({ id, size: bytes, linksEndAt })),
  };
  await transact([putImportRequest(request, before)], { refusal: changedMeanwhile });
  if (before) await deleteParts(before);
  return { token };
}

/** Refuses what the import would refuse, before anything is uploaded. */
async function checkReplaceable(): Promise<void> {
  try {
    await findReplaceable();
  } catch (error) {
    throw error instanceof ArchiveError ? badRequest(`${error.message}.`) : error;
  }
}

/** A link to upload a part of the archive. */
export async function offerPart(request: ImportRequest, part: number) {
  const linksEndAt = Date.now() + linkSeconds * 1000;
  // Before there is a link, so that what arrives by it is deleted.
  if (!(await updateImportRequest(request, { linksEndAt, changedAt: Date.now() }))) throw changedMeanwhile();
  return presignPart(request, part);
}

/** Has a request's next work done. */
export async function proceed(request: ImportRequest, state: ImportState): Promise<ImportRequest> {
  const changed = await updateImportRequest(request, {
    state,
    changedAt: Date.now(),
    attempts: 0,
    startedAt: Date.now(),
    // Of the work before.
    ...{ done: 0, total: 0 },
  });
  if (!changed) throw changedMeanwhile();
  await startImportRun();
  return changed;
}

/** Ends an import: at once if nothing has been written, else when everything is as it was before. */
export async function giveUp(request: ImportRequest): Promise<ImportRequest> {
  if (request.state === "failed" || request.state === "done") return request;
  if (request.state === "importing") {
    const changed = await updateImportRequest(request, { isGivenUp: true, startedAt: Date.now() });
    if (!changed) throw changedMeanwhile();
    await startImportRun();
    return changed;
  }
  const ended = await end(request, givenUp);
  if (!ended) throw changedMeanwhile();
  return ended;
}

/** Why an import is given up that comes no further. */
export const cameNoFurther =
  "The import failed several times at the same place, so it was given up. Everything is as it was before. The server's operator finds the reason in its log.";

export const givenUp = "The import was given up. Everything is as it was before.";

/** Ends a request that is in its state, and deletes its archive. */
export async function end(request: ImportRequest, problem: string): Promise<ImportRequest | undefined> {
  const set = { state: "failed", problem, changedAt: Date.now(), leaseUntil: 0 } as const;
  const ended = request.isBegun ? await endBegun(request, set) : await updateImportRequest(request, set);
  if (ended) await deleteParts(ended);
  return ended;
}

/** Ends a request whose beginning is in the audit log. */
async function endBegun(request: ImportRequest, set: Partial<ImportRequest>): Promise<ImportRequest | undefined> {
  const record = auditRecord("import_given_up", { userId: request.ownerId });
  const failure = await tryTransact([changeImportRequest(request, set), record]);
  if (failure && !(failure.error instanceof ConditionFailed)) throw failure.error;
  return failure ? undefined : { ...request, ...set };
}

/** Longer than it takes until a run begins. */
const startedWithinMs = 150_000;

/** Starts a run for a request whose run has died, or never began. */
export async function restartIfLeft(request: ImportRequest): Promise<void> {
  const { state, leaseUntil, startedAt = 0 } = request;
  const now = Date.now();
  if ((state !== "checking" && state !== "importing") || Math.max(leaseUntil, startedAt + startedWithinMs) > now)
    return;
  if (await updateImportRequest(request, { startedAt: now })) await startImportRun();
}
