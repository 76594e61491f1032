import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { findFileSize, getFile, putFile } from "../blobs/bucket.ts";
import {
  abortMultipartUpload,
  beginMultipartUpload,
  completeMultipartUpload,
  minPartBytes,
  putPart,
} from "../blobs/multipart.ts";
import { outboxJob } from "../jobs/outbox.ts";
import {
  type DataExport,
  type ExportCursor,
  type ExportWork,
  exportLease,
  findExport,
  findExportWork,
  listExportParts,
  listExports,
  putExportPart,
  updateExportWork,
} from "../store/organization/exports.ts";
import { withLease } from "../store/table/leases.ts";
import { transact } from "../store/table/transactions.ts";
import type { Write } from "../store/table/writes.ts";
import { completeExport, failExport } from "./actions.ts";
import { type Context, contextOf } from "./context.ts";
import { archiveFile, carryFile } from "./files.ts";
import { continueExportJob } from "./jobs.ts";
import { phases } from "./phases.ts";
import { tarEnd, tarHeader, tarPadding } from "./tar.ts";

/** The duration of a step, and of its lease, which is longer than the worker's time limit. */
const [timeLimitMs, leaseMs] = [20_000, 310_000];
/** Bytes of a large file that are copied at a time. */
const piece = 4 * 1024 * 1024;
/** Minimum bytes of a multipart upload's part; S3 requires 5 MiB. */
const partSize = 6 * 1024 * 1024;

const compressed = promisify(gzip);

/**
 * Runs one step of an export and enqueues the next. A step's output counts once its cursor is stored, so that a crashed step
 * is repeated from its start. Does nothing for a step that is complete or leased.
 */
export async function runStep(id: number, step: number, partsFrom = partSize): Promise<void> {
  const [one, work] = await Promise.all([findExport(id), findExportWork(id)]);
  if (one?.status !== "pending" || work?.step !== step) return;
  await withLease(exportLease(id, step, leaseMs), () => stepFrom(one, work, partsFrom));
}

/** The same, but marks the export as failed after the last attempt. */
export async function runStepOrFail(id: number, step: number, isLast: boolean): Promise<void> {
  try {
    await runStep(id, step);
  } catch (error) {
    if (isLast) await abortExport(id);
    throw error;
  }
}

async function stepFrom(one: DataExport, work: ExportWork, partsFrom: number): Promise<void> {
  const file = archiveFile(one.token);
  const uploadId = work.uploadId ?? (await beginArchive(work, file));
  const carried = work.carry === undefined ? undefined : await getFile(work.carry);
  if (work.carry !== undefined && !carried) throw new Error(`The carry file of export ${one.id} is missing`);
  const written = carried ? [Buffer.from(carried.content)] : [];
  const cursor = await writeSome(await contextOf(one, work), work.cursor, written, partsFrom);
  const content = Buffer.concat(written);
  if (cursor && content.length < minPartBytes) {
    const carry = carryFile(one.token, work.step);
    await putFile(carry, content, "application/gzip");
    return advance(work, { cursor, carry });
  }
  const part = await putPart(file, uploadId, work.parts + 1, content);
  if (!cursor) {
    // A former attempt may have crashed after completing the archive.
    if (part) await completeMultipartUpload(file, uploadId, [...(await listExportParts(one.id)), part]);
    else if ((await findFileSize(file)) === undefined) throw new Error(`The archive of export ${one.id} is missing`);
    return completeExport(one.id);
  }
  if (!part) throw new Error(`The archive of export ${one.id} was given up`);
  await advance(work, { cursor, parts: work.parts + 1 }, [putExportPart(one.id, part.part, part.etag)]);
}

/** Starts a multipart upload and records it before any part is written, so that no unknown parts remain. */
async function beginArchive(work: ExportWork, file: string): Promise<string> {
  const uploadId = await beginMultipartUpload(file, "application/gzip");
  await transact([updateExportWork(work.id, work.step, { set: { uploadId } })]);
  return uploadId;
}

/** Stores the cursor and enqueues the next step. */
async function advance(work: ExportWork, set: Partial<ExportWork>, others: Write[] = []): Promise<void> {
  const step = work.step + 1;
  const job = outboxJob(continueExportJob, { export_id: work.id, step });
  const change = {
    set: { ...set, step, leaseUntil: 0, progressAt: Date.now() },
    ...(set.carry === undefined && { remove: ["carry"] }),
  };
  await transact([updateExportWork(work.id, work.step, change), job.write, ...others]);
  await job.send();
}

/** Writes entries until a part is full or time is up; returns the next cursor, if any. */
async function writeSome(
  context: Context,
  from: ExportCursor,
  written: Buffer[],
  partsFrom: number,
): Promise<ExportCursor | undefined> {
  const until = Date.now() + timeLimitMs;
  const size = () => written.reduce((sum, { length }) => sum + length, 0);
  let cursor: ExportCursor | undefined = from;
  // Each iteration makes progress, so that even a late step advances.
  do {
    const { contents, next }: Look = await (cursor.copying
      ? copyPiece(cursor, cursor.copying, context)
      : readPage(cursor, context));
    if (contents.length > 0) written.push(await compressed(Buffer.concat(contents)));
    cursor = next;
  } while (cursor && size() < partsFrom && Date.now() < until);
  if (!cursor) written.push(await compressed(tarEnd()));
  return cursor;
}

interface Look {
  contents: Buffer[];
  next: ExportCursor | undefined;
}

async function readPage(cursor: ExportCursor, context: Context): Promise<Look> {
  const phase = phases[cursor.phase];
  if (!phase) return { contents: [], next: undefined };
  const at = context.one.requestedAt;
  const { entries, copy, next, skip } = await phase(cursor.at, context, cursor.skip ?? 0);
  const contents = entries.flatMap(({ path, content }) => [
    tarHeader(path, content.length, at),
    content,
    tarPadding(content.length),
  ]);
  const position = next === undefined ? { phase: cursor.phase + 1, at: 0 } : { phase: cursor.phase, at: next };
  const after: ExportCursor = { ...position, ...(skip !== undefined && { skip }) };
  if (!copy) return { contents, next: after.phase < phases.length ? after : undefined };
  contents.push(tarHeader(copy.path, copy.size, at));
  return { contents, next: { ...after, copying: { ...copy, offset: 0 } } };
}

/** Copies the next bytes of a large file. A file deleted meanwhile is padded with zeros and marked by an empty file next to it. */
async function copyPiece(
  cursor: ExportCursor,
  copying: NonNullable<ExportCursor["copying"]>,
  { one }: Context,
): Promise<Look> {
  const { path, file, size, offset } = copying;
  const length = Math.min(piece, size - offset);
  const found = await getFile(file, `bytes=${offset}-${offset + length - 1}`);
  const { copying: _, ...after } = cursor;
  if (found?.content.length !== length) {
    const rest = Buffer.alloc(size - offset);
    return { contents: [rest, tarPadding(size), tarHeader(`${path}.incomplete`, 0, one.requestedAt)], next: after };
  }
  const content = Buffer.from(found.content);
  return offset + length === size
    ? { contents: [content, tarPadding(size)], next: after }
    : { contents: [content], next: { ...after, copying: { ...copying, offset: offset + length } } };
}

/** Aborts a failed export's multipart upload and marks it as failed. Repeated after a crash in between. */
export async function abortExport(id: number): Promise<void> {
  const [one, work] = await Promise.all([findExport(id), findExportWork(id)]);
  if (one?.status !== "pending") return;
  if (work?.uploadId !== undefined) await abortMultipartUpload(archiveFile(one.token), work.uploadId);
  await failExport(id);
}

/** Milliseconds without a step after which its job is sent again, and after which the export fails. */
const [stalledAfter, failedAfter] = [900_000, 86_400_000];

/** Sends lost jobs of exports again; fails exports that have not ended after a day. */
export async function sweepExports(now = Date.now()): Promise<void> {
  for (const { id, status, requestedAt } of await listExports()) {
    if (status !== "pending") continue;
    const work = await findExportWork(id);
    if (!work || requestedAt * 1000 < now - failedAfter) await abortExport(id);
    else if (work.progressAt < now - stalledAfter) await sendAgain(work);
  }
}

async function sendAgain(work: ExportWork): Promise<void> {
  const job = outboxJob(continueExportJob, { export_id: work.id, step: work.step });
  await transact([job.write]);
  await job.send();
}
