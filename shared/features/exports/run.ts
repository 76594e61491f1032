import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { secondsPerDay } from "../../base/time.ts";
import { findFileSize, getFile, putFile } from "../../services/blobs/bucket.ts";
import {
  abortMultipartUpload,
  beginMultipartUpload,
  completeMultipartUpload,
  minPartBytes,
  putPart,
} from "../../services/blobs/multipart.ts";
import { outboxJob } from "../../services/jobs/outbox.ts";
import {
  type DataExport,
  type ExportCursor,
  type ExportWork,
  exportLease,
  findExport,
  findExportWork,
  type ListState,
  listExportParts,
  listExports,
  putExportPart,
  updateExportWork,
} from "../../store/organization/exports.ts";
import { createRemoval } from "../../store/organization/file-removals.ts";
import { withLease } from "../../store/table/leases.ts";
import { transact } from "../../store/table/transactions.ts";
import type { Write } from "../../store/table/writes.ts";
import { completeExport, failExport, workFilesRetentionMs } from "./actions.ts";
import { archivePath } from "./assemble.ts";
import { type Context, loadContext } from "./context.ts";
import { archiveFile, carryFile } from "./files.ts";
import { continueExportJob } from "./jobs.ts";
import { lastPhase, phaseAt } from "./phases.ts";
import { tarEnd, tarHeader, tarPadding } from "./tar.ts";

const stepBudgetMs = 20_000;
/** The duration of a step's lease, which exceeds the worker's time limit. */
const leaseMs = 310_000;
/** How many bytes of a large file are copied at a time. */
const pieceBytes = 4 * 1024 * 1024;
/** The size at which a part of the multipart upload ends; S3 requires at least 5 MiB. */
const targetPartBytes = 6 * 1024 * 1024;
/** The size of added rows at which a step ends, so that they fit into its memory, and those of one step into a later one's. */
const maxAddedBytes = 6 * 1024 * 1024;

const compress = promisify(gzip);

/**
 * Runs one step of an export and enqueues the next. A step's output counts once its cursor is stored, so that a crashed step
 * is repeated from its start. Does nothing for a step that is complete or leased.
 */
export async function runStep(id: number, step: number, partBytes = targetPartBytes): Promise<void> {
  const [dataExport, work] = await Promise.all([findExport(id), findExportWork(id)]);
  if (dataExport?.status !== "pending" || work?.step !== step) return;
  await withLease(exportLease(id, step, leaseMs), async () => {
    await runLeasedStep(dataExport, work, partBytes);
    return undefined;
  });
}

/** Like `runStep`, but aborts the export when the last attempt fails. Throws the error in either case. */
export async function continueExport(id: number, step: number, isLast: boolean): Promise<void> {
  try {
    await runStep(id, step);
  } catch (error) {
    if (isLast) await abortExport(id);
    throw error;
  }
}

async function runLeasedStep(dataExport: DataExport, work: ExportWork, partBytes: number): Promise<void> {
  const file = archiveFile(dataExport.token);
  const uploadId = work.uploadId ?? (await beginArchive(work, file));
  const carriedFile = work.carry === undefined ? undefined : await getFile(work.carry);
  if (work.carry !== undefined && !carriedFile) throw new Error(`The carry file of export ${dataExport.id} is missing`);
  const chunks = carriedFile ? [Buffer.from(carriedFile.content)] : [];
  const context = await loadContext(dataExport, work);
  const cursor = await writeEntries(context, work.cursor, chunks, partBytes);
  const content = Buffer.concat(chunks);
  const lists = await storeLists(context);
  if (cursor && content.length < minPartBytes) {
    const carry = carryFile(dataExport.token, work.step);
    await putFile(carry, content, "application/gzip");
    return advance(work, { cursor, carry, lists });
  }
  const part = await putPart(file, uploadId, work.parts + 1, content);
  if (!cursor) {
    // An earlier attempt may have crashed after completing the archive.
    if (part) await completeMultipartUpload(file, uploadId, [...(await listExportParts(dataExport.id)), part]);
    else if ((await findFileSize(file)) === undefined)
      throw new Error(`The archive of export ${dataExport.id} is missing`);
    return completeExport(dataExport.id);
  }
  if (!part) throw new Error(`The archive of export ${dataExport.id} was aborted`);
  await advance(work, { cursor, lists, parts: work.parts + 1 }, [putExportPart(dataExport.id, part.part, part.etag)]);
}

/** Starts a multipart upload and records it before any part is written, so that it can be aborted if this step dies. */
async function beginArchive(work: ExportWork, file: string): Promise<string> {
  const uploadId = await beginMultipartUpload(file, "application/gzip");
  await transact([updateExportWork(work.id, work.step, { set: { uploadId } })]);
  return uploadId;
}

/** Stores the rows that the step added, after their removal has been scheduled. */
async function storeLists({ lists }: Context): Promise<Record<string, ListState>> {
  const [file, ...others] = lists.files();
  if (file !== undefined) await transact([createRemoval({ file, others, dueAt: Date.now() + workFilesRetentionMs })]);
  return lists.store();
}

/** Stores the cursor and enqueues the next step. */
async function advance(work: ExportWork, set: Partial<ExportWork>, otherWrites: Write[] = []): Promise<void> {
  const step = work.step + 1;
  const job = outboxJob(continueExportJob, { export_id: work.id, step });
  const change = {
    set: { ...set, step, leaseUntil: 0, progressAt: Date.now() },
    ...(set.carry === undefined && { remove: ["carry"] }),
  };
  await transact([updateExportWork(work.id, work.step, change), ...otherWrites], { followUps: [job] });
}

/** Writes entries until a part is full or time is up; returns the next cursor, if any. */
async function writeEntries(
  context: Context,
  from: ExportCursor,
  chunks: Buffer[],
  partBytes: number,
): Promise<ExportCursor | undefined> {
  const deadline = Date.now() + stepBudgetMs;
  const size = () => chunks.reduce((sum, { length }) => sum + length, 0);
  let cursor: ExportCursor | undefined = from;
  // Each iteration makes progress, so that even a late step advances.
  do {
    const { contents, next }: Progress = await (cursor.copying
      ? copyNextPiece(cursor, cursor.copying, context)
      : readPage(cursor, context));
    if (contents.length > 0) chunks.push(await compress(Buffer.concat(contents)));
    cursor = next;
    // The last phase reads what the others have stored.
    if (cursor?.phase === lastPhase && context.lists.addedBytes > 0) break;
  } while (cursor && size() < partBytes && context.lists.addedBytes < maxAddedBytes && Date.now() < deadline);
  if (!cursor) chunks.push(await compress(tarEnd()));
  return cursor;
}

interface Progress {
  contents: Buffer[];
  next: ExportCursor | undefined;
}

async function readPage(cursor: ExportCursor, context: Context): Promise<Progress> {
  const phase = phaseAt(cursor.phase);
  if (!phase) return { contents: [], next: undefined };
  const { requestedAt } = context.dataExport;
  const { entries = [], copy, bytes = [], next, skip } = await phase(cursor.at, context, cursor.skip ?? 0);
  const contents = entries.flatMap(({ path, content }) => [
    tarHeader(archivePath(context, path), content.length, requestedAt),
    content,
    tarPadding(content.length),
  ]);
  contents.push(...bytes);
  const position = next === undefined ? { phase: cursor.phase + 1, at: 0 } : { phase: cursor.phase, at: next };
  const after: ExportCursor = { ...position, ...(skip !== undefined && { skip }) };
  if (!copy) return { contents, next: after.phase <= lastPhase ? after : undefined };
  const path = archivePath(context, copy.path);
  contents.push(tarHeader(path, copy.size, requestedAt));
  return { contents, next: { ...after, copying: { ...copy, path, offset: 0 } } };
}

/**
 * Copies the next bytes of a large file. A file deleted meanwhile is padded with zeros and marked by an empty file next to it.
 */
async function copyNextPiece(
  cursor: ExportCursor,
  copying: NonNullable<ExportCursor["copying"]>,
  { dataExport }: Context,
): Promise<Progress> {
  const { path, file, size, offset } = copying;
  const length = Math.min(pieceBytes, size - offset);
  const found = await getFile(file, `bytes=${offset}-${offset + length - 1}`);
  const { copying: _, ...after } = cursor;
  if (found?.content.length !== length) {
    const zeros = Buffer.alloc(size - offset);
    return {
      contents: [zeros, tarPadding(size), tarHeader(`${path}.incomplete`, 0, dataExport.requestedAt)],
      next: after,
    };
  }
  const content = Buffer.from(found.content);
  return offset + length === size
    ? { contents: [content, tarPadding(size)], next: after }
    : { contents: [content], next: { ...after, copying: { ...copying, offset: offset + length } } };
}

/** Aborts a pending export's multipart upload and marks the export as failed. Idempotent. */
export async function abortExport(id: number): Promise<void> {
  const [dataExport, work] = await Promise.all([findExport(id), findExportWork(id)]);
  if (dataExport?.status !== "pending") return;
  if (work?.uploadId !== undefined) await abortMultipartUpload(archiveFile(dataExport.token), work.uploadId);
  await failExport(id);
}

/** How long after its last step an export's job is sent again. */
const stalledAfterMs = 900_000;
/** How long after its request an unfinished export fails. */
const failedAfterMs = secondsPerDay * 1000;

/** Resends the jobs of stalled exports, and aborts exports that have not ended after a day. */
export async function sweepExports(now = Date.now()): Promise<void> {
  for (const { id, status, requestedAt } of await listExports()) {
    if (status !== "pending") continue;
    const work = await findExportWork(id);
    if (!work || requestedAt * 1000 < now - failedAfterMs) await abortExport(id);
    else if (work.progressAt < now - stalledAfterMs) await resendJob(work);
  }
}

async function resendJob(work: ExportWork): Promise<void> {
  const job = outboxJob(continueExportJob, { export_id: work.id, step: work.step });
  await transact([], { followUps: [job] });
}
