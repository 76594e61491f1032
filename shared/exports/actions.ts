import { randomBytes } from "node:crypto";
import { badRequest } from "../errors.ts";
import { outboxJob } from "../jobs/outbox.ts";
import {
  changeExport,
  createExport,
  type DataExport,
  type ExportsHead,
  findExportsHead,
  listExports,
  moveExportsHead,
  removeExportWork,
} from "../store/exports.ts";
import { createRemoval } from "../store/file-removals.ts";
import { commit, readHead } from "../store/log.ts";
import { pause } from "../store/table.ts";
import { ConditionFailed } from "../store/transactions.ts";
import type { Write } from "../store/writes.ts";
import { archiveFile, carryFiles } from "./files.ts";
import { continueExport } from "./jobs.ts";
import { wireExport } from "./wire.ts";

/** Exports that may be asked for in so many seconds. */
const [mostInPeriod, period] = [5, 7 * 86_400];
/** Milliseconds after which what an export carries from step to step is removed: longer than any lasts. */
const carriedFor = 2 * 86_400_000;
/** Milliseconds after which nobody can be at work on a step that they began. */
const workLasts = 600_000;

const nowSeconds = () => Math.floor(Date.now() / 1000);

interface Change<T> {
  writes: Write[];
  /** All exports as they then are. */
  after: DataExport[];
  result: T;
}

/**
 * Changes exports on what is true of all of them, and tells administrators: 8 write units and more. Nothing is done
 * where the plan is none.
 */
async function changeExports<T>(
  plan: (head: ExportsHead, before: DataExport[]) => Change<T> | undefined,
): Promise<T | undefined> {
  for (let attempt = 1; ; attempt++) {
    const head = await findExportsHead();
    const before = await listExports();
    const planned = plan(head, before);
    if (!planned) return undefined;
    const { writes, after, result } = planned;
    const event = { type: "realm_export", exports: after.map(wireExport) };
    try {
      return await commit({ events: 1 }, () => ({
        writes: [...writes, moveExportsHead(head, after.at(-1)?.id)],
        events: [{ audience: { kind: "administrators" }, event }],
        result,
      }));
    } catch (error) {
      if (!(error instanceof ConditionFailed) || attempt === 8) throw error;
      await pause(attempt);
    }
  }
}

/** Asks for an export; refused when there were too many lately. Its first step is on its way when this returns. */
export async function requestExport(actingUserId: number, type: 1 | 2, baseUrl: string): Promise<number> {
  const { message: lastMessageId } = await readHead();
  const asked = await changeExports((head, before) => {
    const requestedAt = nowSeconds();
    if (before.filter((one) => one.requestedAt > requestedAt - period).length >= mostInPeriod)
      throw badRequest("Exceeded rate limit.");
    const id = head.lastId + 1;
    const token = randomBytes(24).toString("base64url");
    const one: DataExport = { id, actingUserId, type, requestedAt, status: "pending", token, baseUrl };
    const work = { id, step: 0, cursor: { phase: 0, at: 0 }, lastMessageId, parts: 0, leaseUntil: 0 };
    const job = outboxJob(continueExport, { export_id: id, step: 0 });
    const dueAt = Date.now() + carriedFor;
    return {
      writes: [
        ...createExport(one, { ...work, progressAt: Date.now() }),
        ...carryFiles(token).map((file) => createRemoval({ file, dueAt })),
        job.write,
      ],
      after: [...before, one],
      result: { id, job },
    };
  });
  await asked?.job.send();
  return asked?.id ?? 0;
}

/** The archive is there. */
export const completeExport = (id: number): Promise<void> => endExport(id, "pending", { status: "done" });

/** The export could not be made. What there may be of its archive goes when nobody can be at work on it any more. */
export const failExport = (id: number): Promise<void> =>
  endExport(id, "pending", { status: "failed", endedAt: nowSeconds() }, workLasts);

/** Deletes an export's archive; its record stays. */
export const deleteExport = (id: number): Promise<void> =>
  endExport(id, "done", { status: "deleted", endedAt: nowSeconds() }, 0);

/** Nothing happens to an export that is in another state by now. */
async function endExport(
  id: number,
  from: DataExport["status"],
  set: Partial<DataExport>,
  archiveGoesIn?: number,
): Promise<void> {
  await changeExports((_, before) => {
    const one = before.find((candidate) => candidate.id === id);
    if (one?.status !== from) return undefined;
    const removal = (dueIn: number) => createRemoval({ file: archiveFile(one.token), dueAt: Date.now() + dueIn });
    return {
      writes: [
        changeExport(one, set),
        removeExportWork(id),
        ...(archiveGoesIn === undefined ? [] : [removal(archiveGoesIn)]),
      ],
      after: before.map((candidate) => (candidate.id === id ? { ...candidate, ...set } : candidate)),
      result: undefined,
    };
  });
}
