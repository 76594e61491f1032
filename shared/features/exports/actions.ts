import { randomBytes } from "node:crypto";
import { creationLimits } from "../../base/creation-limits.ts";
import { badRequest } from "../../base/errors.ts";
import type { LogEvent } from "../../base/schema/event-types.ts";
import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import { outboxJob } from "../../services/jobs/outbox.ts";
import { type Change, commit, readHead } from "../../store/log/log.ts";
import { auditRecord } from "../../store/organization/audit-log.ts";
import {
  createExport,
  type DataExport,
  deleteExportWork,
  type ExportsHead,
  findExportsHead,
  listExports,
  moveExportsHead,
  updateExport,
} from "../../store/organization/exports.ts";
import { createRemoval } from "../../store/organization/file-removals.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";
import type { FollowUp } from "../../store/table/follow-ups.ts";
import type { Write } from "../../store/table/writes.ts";
import { archiveFile, carryFiles } from "./files.ts";
import { continueExportJob } from "./jobs.ts";
import { toExportWire } from "./wire.ts";

const { perDay: maxExportsPerPeriod } = creationLimits.export;
const periodSeconds = 7 * secondsPerDay;
/** After this time, the files that only an export's steps use are deleted. Longer than any export takes. */
export const workFilesRetentionMs = 2 * secondsPerDay * 1000;
/** After this time, no worker can still be running a step that it began. */
const maxStepMs = 600_000;

/** A change of exports, with an event for administrators. Conflicts if one has changed since they were read. Costs at least 8 write units. */
const exportsChange = (
  head: ExportsHead,
  after: readonly DataExport[],
  { writes, followUps = [] }: { writes: readonly Write[]; followUps?: readonly FollowUp[] },
): Change => {
  const event: LogEvent = { type: "realm_export", exports: after.map(toExportWire) };
  return {
    writes: [...writes, moveExportsHead(head, after.at(-1)?.id)],
    events: [{ audience: { kind: "administrators" }, event }],
    followUps,
  };
};

/** The change that requests an export and enqueues its first step, and its ID. Throws a 400 if there were too many recently. */
export async function requestExport(
  actingUserId: number,
  type: 1 | 2,
  baseUrl: string,
): Promise<{ change: Change; id: number }> {
  const { message: lastMessageId } = await readHead();
  const head = await findExportsHead();
  const before = await listExports();
  const requestedAt = nowSeconds();
  if (before.filter((earlier) => earlier.requestedAt > requestedAt - periodSeconds).length >= maxExportsPerPeriod)
    throw badRequest("Exceeded rate limit.");
  const id = head.lastId + 1;
  const token = randomBytes(24).toString("base64url");
  const dataExport: DataExport = { id, actingUserId, type, requestedAt, status: "pending", token, baseUrl };
  const work = { id, step: 0, cursor: { phase: 0, at: 0 }, lastMessageId, parts: 0, leaseUntil: 0 };
  const dueAt = Date.now() + workFilesRetentionMs;
  const change = exportsChange(head, [...before, dataExport], {
    writes: [
      auditRecord("export_started", { after: { export_id: id, export_type: type } }),
      ...createExport(dataExport, { ...work, progressAt: Date.now() }),
      ...carryFiles(token).map((file) => createRemoval({ file, dueAt })),
    ],
    followUps: [outboxJob(continueExportJob, { export_id: id, step: 0 })],
  });
  return { change, id };
}

export const completeExport = (id: number): Promise<void> => endExport(id, { status: "done" });

/** Marks an export as failed; its partial archive is deleted when no worker can still be running a step. */
export const failExport = (id: number): Promise<void> =>
  endExport(id, { status: "failed", endedAt: nowSeconds() }, maxStepMs);

const endExport = (id: number, set: Partial<DataExport>, removeArchiveInMs?: number): Promise<void> =>
  retryOnConflict(async () => {
    const change = await endOfExport(id, "pending", set, removeArchiveInMs);
    if (change) await commit(change);
  });

/** The change that deletes an export's archive; its record stays. */
export const deleteExport = (id: number): Promise<Change | undefined> =>
  endOfExport(id, "done", { status: "deleted", endedAt: nowSeconds() }, 0, [
    auditRecord("export_deleted", { before: { export_id: id } }),
  ]);

/** The change that ends an export whose status is `from`; none if the status has changed. */
async function endOfExport(
  id: number,
  from: DataExport["status"],
  set: Partial<DataExport>,
  removeArchiveInMs?: number,
  records: readonly Write[] = [],
): Promise<Change | undefined> {
  const head = await findExportsHead();
  const before = await listExports();
  const dataExport = before.find((candidate) => candidate.id === id);
  if (dataExport?.status !== from) return undefined;
  const removal = (dueInMs: number) =>
    createRemoval({ file: archiveFile(dataExport.token), dueAt: Date.now() + dueInMs });
  const after = before.map((candidate) => (candidate.id === id ? { ...candidate, ...set } : candidate));
  return exportsChange(head, after, {
    writes: [
      updateExport(dataExport, set),
      deleteExportWork(id),
      ...(removeArchiveInMs === undefined ? [] : [removal(removeArchiveInMs)]),
      ...records,
    ],
  });
}
