import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { getFile, putFile, sizeOfFile } from "../files/bucket.ts";
import { abortParts, beginParts, completeParts, putPart, smallestPart } from "../files/multipart.ts";
import { outboxJob } from "../jobs/outbox.ts";
import {
  changeExportWork,
  type DataExport,
  type ExportCursor,
  type ExportWork,
  findExport,
  findExportWork,
  listExportParts,
  listExports,
  putExportPart,
} from "../store/exports.ts";
import { ConditionFailed, transact } from "../store/transactions.ts";
import type { Write } from "../store/writes.ts";
import { completeExport, failExport } from "./actions.ts";
import { type Context, contextOf } from "./context.ts";
import { archiveFile, carryFile } from "./files.ts";
import { continueExport } from "./jobs.ts";
import { phases } from "./phases.ts";
import { tarEnd, tarHeader, tarPadding } from "./tar.ts";

/** Milliseconds for which a step goes on, and for which nobody else takes it: longer than the worker's time limit. */
const [patience, lease] = [20_000, 310_000];
/** Bytes of a large file that are held at once. */
const piece = 4 * 1024 * 1024;
/** Bytes at which a part of the archive is large enough. */
const partSize = 6 * 1024 * 1024;

const compressed = promisify(gzip);

/**
 * Takes one step of an export, and asks for the next. What a step has written counts once its cursor is noted, so that
 * a step which died is taken again from where it began. Nothing happens for a step that is done, or under way.
 */
export async function takeStep(id: number, step: number, partsFrom = partSize): Promise<void> {
  const [one, work] = await Promise.all([findExport(id), findExportWork(id)]);
  if (one?.status !== "pending" || work?.step !== step) return;
  const now = Date.now();
  if (!(await held(changeExportWork(id, step, { set: { leaseUntil: now + lease } }, now)))) return;
  try {
    await stepFrom(one, work, partsFrom);
  } catch (error) {
    await held(changeExportWork(id, step, { set: { leaseUntil: 0 } })).catch(() => {});
    throw error;
  }
}

/** The same; what cannot be done at the last try marks the export as failed. */
export async function takeStepOrGiveUp(id: number, step: number, isLast: boolean): Promise<void> {
  try {
    await takeStep(id, step);
  } catch (error) {
    if (isLast) await giveUp(id);
    throw error;
  }
}

/** Whether a write's condition held. */
async function held(write: Write): Promise<boolean> {
  try {
    await transact([write]);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

async function stepFrom(one: DataExport, work: ExportWork, partsFrom: number): Promise<void> {
  const file = archiveFile(one.token);
  const uploadId = work.uploadId ?? (await beginArchive(work, file));
  const carried = work.carry === undefined ? undefined : await getFile(work.carry);
  if (work.carry !== undefined && !carried) throw new Error(`What export ${one.id} carried is gone`);
  const written = carried ? [Buffer.from(carried.content)] : [];
  const cursor = await writeSome(await contextOf(one, work), work.cursor, written, partsFrom);
  const content = Buffer.concat(written);
  if (cursor && content.length < smallestPart) {
    const carry = carryFile(one.token, work.step);
    await putFile(carry, content, "application/gzip");
    return advance(work, { cursor, carry });
  }
  const part = await putPart(file, uploadId, work.parts + 1, content);
  if (!cursor) {
    // Whoever was here before may have died after the archive was whole.
    if (part) await completeParts(file, uploadId, [...(await listExportParts(one.id)), part]);
    else if ((await sizeOfFile(file)) === undefined) throw new Error(`The archive of export ${one.id} is gone`);
    return completeExport(one.id);
  }
  if (!part) throw new Error(`The archive of export ${one.id} was given up`);
  await advance(work, { cursor, parts: work.parts + 1 }, [putExportPart(one.id, part.part, part.etag)]);
}

/** Begins an archive, and notes it before anything is written: parts that nobody knows of would stay for days. */
async function beginArchive(work: ExportWork, file: string): Promise<string> {
  const uploadId = await beginParts(file, "application/gzip");
  await transact([changeExportWork(work.id, work.step, { set: { uploadId } })]);
  return uploadId;
}

/** Notes what is written, and asks for the next step. */
async function advance(work: ExportWork, set: Partial<ExportWork>, others: Write[] = []): Promise<void> {
  const step = work.step + 1;
  const job = outboxJob(continueExport, { export_id: work.id, step });
  const change = {
    set: { ...set, step, leaseUntil: 0, progressAt: Date.now() },
    ...(set.carry === undefined && { remove: ["carry"] }),
  };
  await transact([changeExportWork(work.id, work.step, change), job.write, ...others]);
  await job.send();
}

/** Adds to what is written until that is a part of the archive or time is up; returns where to go on, if anywhere. */
async function writeSome(
  context: Context,
  from: ExportCursor,
  written: Buffer[],
  partsFrom: number,
): Promise<ExportCursor | undefined> {
  const until = Date.now() + patience;
  const size = () => written.reduce((sum, { length }) => sum + length, 0);
  let cursor: ExportCursor | undefined = from;
  // Each look writes something: a step that begins late goes on all the same.
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
  const place = next === undefined ? { phase: cursor.phase + 1, at: 0 } : { phase: cursor.phase, at: next };
  const after: ExportCursor = { ...place, ...(skip !== undefined && { skip }) };
  if (!copy) return { contents, next: after.phase < phases.length ? after : undefined };
  contents.push(tarHeader(copy.path, copy.size, at));
  return { contents, next: { ...after, copying: { ...copy, offset: 0 } } };
}

/** The next bytes of a large file. One that goes meanwhile is filled up with zeros, and an empty file beside it says so. */
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

/** An export that could not be made gives up its archive's parts, and is marked as failed; dying between, it comes again. */
export async function giveUp(id: number): Promise<void> {
  const [one, work] = await Promise.all([findExport(id), findExportWork(id)]);
  if (one?.status !== "pending") return;
  if (work?.uploadId !== undefined) await abortParts(archiveFile(one.token), work.uploadId);
  await failExport(id);
}

/** Milliseconds without a step after which its job is sent again, and after which an export has failed. */
const [stalledAfter, failedAfter] = [900_000, 86_400_000];

/** Exports whose jobs were lost are taken up again; those that have not ended a day later have failed. */
export async function sweepExports(now = Date.now()): Promise<void> {
  for (const { id, status, requestedAt } of await listExports()) {
    if (status !== "pending") continue;
    const work = await findExportWork(id);
    if (!work || requestedAt * 1000 < now - failedAfter) await giveUp(id);
    else if (work.progressAt < now - stalledAfter) await sendAgain(work);
  }
}

async function sendAgain(work: ExportWork): Promise<void> {
  const job = outboxJob(continueExport, { export_id: work.id, step: work.step });
  await transact([job.write]);
  await job.send();
}
