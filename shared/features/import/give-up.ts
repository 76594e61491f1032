import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { batchesOf } from "../../base/batches.ts";
import { deleteFile, listFileKeys } from "../../services/blobs/bucket.ts";
import { readHead } from "../../store/log/log.ts";
import {
  deleteImport,
  findImport,
  forgetReplaced,
  type ImportProgress,
  listReplaced,
  putImport,
  restoreReserved,
} from "../../store/organization/import.ts";
import { createOrganizationItem } from "../../store/organization/organization.ts";
import { transact } from "../../store/table/transactions.ts";
import { put, type Write } from "../../store/table/writes.ts";
import { ArchiveError } from "./archive-allowance.ts";
import { deleteImported, writeAsRun, writesPerTransaction } from "./replaced.ts";

/**
 * Gives an import up: deletes everything that it has written, and puts back what was before. Each step can be repeated, and one
 * that was interrupted is, because an import that is given up cannot be continued. It does not need the archive.
 *
 * `settleMs`: for how long a process that was importing may still write after another has taken over.
 */
export async function giveUpImport(settleMs: number): Promise<void> {
  await forgetFinished();
  const found = await findImport();
  if (!found) throw new ArchiveError("There is no unfinished import here to give up");
  const run: string = randomUUID();
  const progress = { ...found, run, givenUpAt: found.givenUpAt ?? Date.now() };
  await transact([putImport(progress, found.run as string)], { refusal: takenOver });
  const { replaces, reserved } = progress;
  // Before it is certain that nobody has used the organization, nothing of it is deleted.
  if (replaces && !replaces.account) {
    await transact([createOrganizationItem(replaces.organization), deleteImport(run)], { refusal: takenOver });
    return;
  }
  await pause(Math.max(0, progress.givenUpAt + settleMs - Date.now()));
  // While an organization is set aside, what is in the table is a part of it, which is put back where it is.
  if (!replaces || replaces.isCleared) await deleteImported(run, takenOver);
  await deleteFiles(progress);
  const asRun = writeAsRun(run, takenOver);
  for await (const page of listReplaced())
    for (const batch of batchesOf(page, writesPerTransaction)) await asRun(batch.map((item) => put(item)));
  await transact(
    [
      ...(replaces ? [createOrganizationItem(replaces.organization)] : []),
      ...(await reservedWrites(reserved)),
      putImport({ ...progress, isOver: true }, run),
    ],
    { refusal: takenOver },
  );
  await forgetFormer(run);
}

/** IDs that only the import has used are given out again: what reads all newer messages would look for these. */
async function reservedWrites(reserved: ImportProgress["reserved"]): Promise<Write[]> {
  const { message, scheduledMessage } = await readHead();
  const isSame = message === reserved?.message && scheduledMessage === reserved.scheduledMessage;
  return reserved && !isSame ? [restoreReserved(reserved)] : [];
}

/** Deletes what an import has left that is over, and whose process died then. */
export async function forgetFinished(): Promise<void> {
  const found = await findImport();
  if (found?.isOver) await forgetFormer(found.run as string);
}

/** Deletes what was kept of a replaced organization, when the import is over. Fails when another process does so. */
export async function forgetFormer(run: string): Promise<void> {
  const asRun = writeAsRun(run, takenOver);
  for await (const page of listReplaced())
    for (const batch of batchesOf(page, writesPerTransaction)) await asRun(batch.map(forgetReplaced));
  await transact([deleteImport(run)], { refusal: takenOver });
}

/** Deletes the files and pictures that the import has stored: those that nothing of the former organization has. */
async function deleteFiles({ replaces }: ImportProgress): Promise<void> {
  const texts = [JSON.stringify(replaces ?? {})];
  for await (const page of listReplaced()) texts.push(...page.map((item) => JSON.stringify(item)));
  const former = texts.join("\n");
  for (const prefix of ["uploads/", "emoji/", "avatars/"])
    for await (const key of listFileKeys(prefix)) {
      const [, name = key] = /([^/]+?)(?:-small|-medium)?$/.exec(key) ?? [];
      if (!former.includes(name)) await deleteFile(key);
    }
}

const takenOver = () => new ArchiveError("Another process has continued or given up the import");
