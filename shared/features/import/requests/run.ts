import { fleetSecret } from "../../../base/aws/secret.ts";
import { currentHost } from "../../../base/host.ts";
import { describeError } from "../../../base/observability/describe-error.ts";
import { secondsPerDay } from "../../../base/time.ts";
import { cursors, findCursor } from "../../../store/log/cursors.ts";
import { auditRecord } from "../../../store/organization/audit-log.ts";
import { findImport, type ImportProgress } from "../../../store/organization/import.ts";
import {
  changeImporting,
  checkWanted,
  deleteImportRequest,
  findImportRequest,
  type ImportRequest,
  importLease,
  updateImportRequest,
} from "../../../store/organization/import-request.ts";
import { withLease } from "../../../store/table/leases.ts";
import { withDeadline } from "../../../store/table/time-limit.ts";
import { transact } from "../../../store/table/transactions.ts";
import type { Archive } from "../archive.ts";
import { ArchiveError } from "../archive-allowance.ts";
import { forgetFinished, giveUpImport } from "../give-up.ts";
import { kindOf, nameInFileName, planArchive } from "../kinds.ts";
import { removeLeftovers } from "../own-folder.ts";
import type { ImportPlan } from "../plan.ts";
import { rehearseImport } from "../rehearse.ts";
import { waitOutThrottling } from "../throttling.ts";
import { findProgress, writeImport } from "../write.ts";
import { cameNoFurther, end, givenUp, startImportRun } from "./actions.ts";
import { deleteParts, withArchive } from "./parts.ts";
import { followProgress } from "./progress.ts";

/** The work of an import from the page: each run goes on where the last one ended, or died. */

/** The function's time limit, and so much of it for work that another run can go on with. */
export const timeoutSeconds = 900;
const workMs = 800_000;
const leaseMs = 960_000;

/** How often a check may end early, and an import without coming further. */
const maxAttempts = 4;
const keptMs = secondsPerDay * 1000;

export async function runImport(): Promise<void> {
  // What a run has unpacked that was killed, which are private messages in plain text.
  removeLeftovers();
  const request = await findImportRequest();
  if (!request) return;
  const isOld = request.changedAt + keptMs < Date.now();
  switch (request.state) {
    case "uploading":
    case "checked":
      if (isOld) await end(request, "The import was not continued for a day, so its archive has been deleted.");
      return;
    case "failed":
    case "done":
      // Of a former run that died, or by a link that was valid for longer.
      await forgetFinished();
      await deleteParts(request);
      if (isOld) await transact([deleteImportRequest(request)]);
      return;
    default:
      await work(request);
  }
}

/** Does a request's work as far as the time allows, unless another run does. */
async function work(request: ImportRequest): Promise<void> {
  const deadline = Date.now() + workMs;
  // Functions are alone in their process, and a table of one machine never throttles.
  const endWaiting = currentHost().table() ? () => {} : waitOutThrottling(60_000);
  let isUnfinished = false;
  try {
    await withLease(importLease(request, leaseMs), async (_, item) => {
      const leased = item as unknown as ImportRequest;
      isUnfinished = await (leased.state === "checking" ? check(leased, deadline) : importOrGiveUp(leased, deadline));
      return undefined;
    });
  } finally {
    endWaiting();
  }
  if (isUnfinished) await startImportRun();
}

/** Plans and rehearses the import. True if it must be tried again. */
async function check(request: ImportRequest, deadline: number): Promise<boolean> {
  const attempts = request.attempts + 1;
  if (attempts > maxAttempts) {
    await end(request, tooLong);
    return false;
  }
  const counted = await updateImportRequest(request, { attempts });
  if (!counted) return false;
  const progress = followProgress(counted);
  try {
    const found = await withArchive(counted, (archive) =>
      withDeadline(deadline, async () => {
        const begun = await findProgress(counted.id);
        const plan = await planFor(archive, counted, begun, { secret: "", isRehearsal: true });
        const name = nameOf(plan, counted, begun);
        await rehearseImport(plan, name, progress.report);
        return { report: String(plan.report).slice(0, maxReportLength), name };
      }),
    );
    await progress.end();
    await updateImportRequest(counted, {
      state: "checked",
      ...found,
      changedAt: Date.now(),
      leaseUntil: 0,
      attempts: 0,
    });
    return false;
  } catch (error) {
    await progress.end();
    // Another run would take as long.
    if (Date.now() >= deadline) {
      await end(counted, tooLong);
      return false;
    }
    return endOrRetry(counted, error);
  }
}

const tooLong = `The archive could not be checked within ${timeoutSeconds / 60} minutes. The server's operator can import it with npm run import.`;

/** The rest of an item has room for the file's name and a problem. */
const maxReportLength = 50_000;

async function importOrGiveUp(request: ImportRequest, deadline: number): Promise<boolean> {
  await forgetFinished();
  const found = await findImport();
  const indexed = (await findCursor(cursors.search))?.message;
  const { hasMembers, messages, replaces, givenUpAt } = found ?? {};
  const mark = JSON.stringify([hasMembers, messages, replaces?.isCleared, givenUpAt, indexed]);
  const attempts = mark === request.mark ? request.attempts + 1 : 1;
  const isOwn = found?.archive === request.id;
  const isStuck = attempts > maxAttempts && !request.isGivenUp;
  const counted = await updateImportRequest(request, {
    ...{ mark, attempts },
    ...((isStuck || (isOwn && givenUpAt !== undefined)) && { isGivenUp: true }),
    ...(isStuck && { problem: cameNoFurther }),
  });
  if (!counted) return false;
  try {
    if (counted.isGivenUp) {
      if (isOwn) await withDeadline(deadline, () => giveUpImport(currentHost().settleMs));
      await end(counted, counted.problem ?? givenUp);
      return false;
    }
    // Somebody has given it up by npm run import.
    if (counted.isBegun && !found) {
      await end(counted, givenUp);
      return false;
    }
    return await write(counted, deadline);
  } catch (error) {
    logFailure(error);
    return true;
  }
}

async function write(request: ImportRequest, deadline: number): Promise<boolean> {
  const progress = followProgress(request);
  try {
    await withArchive(request, (archive) =>
      withDeadline(deadline, async () => {
        const begun = await findProgress(request.id);
        const plan = await planFor(archive, request, begun, { secret: await fleetSecret(), isRehearsal: false });
        const owner = begun.replaces?.owner;
        const email = owner?.email.toLowerCase();
        const ownerId = plan.members.find((one) => one.botType === undefined && one.email.toLowerCase() === email)?.id;
        await writeImport(plan, nameOf(plan, request, begun), begun, {
          ...{ report: progress.report, settleMs: currentHost().settleMs },
          atBegin: [
            changeImporting(request, { isBegun: true }),
            auditRecord("import_started", { userId: request.ownerId, name: owner?.fullName }),
          ],
          atClear: [checkWanted(request)],
          // In the imported organization, the owner has another ID.
          atEnd: () => [
            changeImporting(request, { state: "done", changedAt: Date.now(), leaseUntil: 0 }),
            auditRecord("organization_imported", { userId: ownerId, name: owner?.fullName }),
          ],
        });
      }),
    );
    await progress.end();
  } catch (error) {
    await progress.end();
    // Otherwise it has begun, and is continued; or the next run gives it up, as somebody asked for, or when it comes no further.
    const isGivenUp = (await findImportRequest())?.isGivenUp === true;
    if (!isGivenUp && !(await findImport())) return endOrRetry(request, error);
    logFailure(error);
    return true;
  }
  await deleteParts(request);
  return false;
}

/** An archive's own problem ends a request, anything else is tried again. */
async function endOrRetry(request: ImportRequest, error: unknown): Promise<boolean> {
  const problem = problemOf(error, request);
  if (problem === undefined) {
    logFailure(error);
    return true;
  }
  await end(request, problem);
  return false;
}

/** The archive's name on this machine, and the command, say nothing to whoever has uploaded it. */
function problemOf(error: unknown, { fileName }: ImportRequest): string | undefined {
  const { message } = error as Error;
  if (/ENOSPC/.test(message)) return "The archive needs more space than the server has for it.";
  const shown = message
    .replace(/^archive(?:\.zip|\.tar\.gz)/, () => fileName)
    .replace("Repeat the command", "Upload the archive again")
    .replace(/\.$/, "");
  return error instanceof ArchiveError ? `${shown.slice(0, 2000)}.` : undefined;
}

const logFailure = (error: unknown) =>
  console.error(JSON.stringify({ leftToNextRun: "import", error: describeError(error) }));

function planFor(
  archive: Archive,
  { ownerName }: ImportRequest,
  { startedAt, replaces }: ImportProgress,
  options: { secret: string; isRehearsal: boolean },
): Promise<ImportPlan> {
  const isDiscord = kindOf(archive) === "Discord";
  if (isDiscord && !ownerName)
    throw new ArchiveError("An export of Discord has no addresses: upload it again, and say what you are called there");
  return planArchive(archive, {
    ...{ ...options, now: startedAt, owner: replaces?.owner, withFiles: true },
    ownerEmail: isDiscord ? `${ownerName}=${replaces?.owner.email}` : undefined,
    ...{ oldUrl: undefined, slackToken: undefined },
  });
}

/** The name that the file has, or else the archive, or else the organization that it replaces. */
const nameOf = ({ organization }: ImportPlan, { fileName }: ImportRequest, { replaces }: ImportProgress): string =>
  [...(nameInFileName(fileName) || organization.name || replaces?.organization.name || "Imported")]
    .slice(0, 100)
    .join("");
