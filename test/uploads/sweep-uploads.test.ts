import { expect, test } from "vitest";
import { addUpload, completeUpload, offerUpload } from "../../shared/messaging/uploads/actions.ts";
import { removeContents, sweepFiles } from "../../shared/messaging/uploads/sweep.ts";
import { findFileSize, putFile } from "../../shared/services/blobs/bucket.ts";
import { fileInMemory } from "../../shared/services/http/uploaded-files.ts";
import { cancelRemoval, createRemoval, listRemovals } from "../../shared/store/organization/file-removals.ts";
import { createClaim, findUpload, setUnclaimedSince } from "../../shared/store/organization/uploads.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { withFailure } from "../support/faults.ts";
import { attachmentsOf, fetchFile, upload } from "../support/files.ts";
import { ownEventsOf } from "../support/log.ts";
import { aPerson } from "../support/world.ts";

const [hourMs, weekMs] = [3_600_000, 7 * 86_400_000];
const pathOf = (url: string) => url.slice("/user_uploads/".length);
const fileOf = (url: string) => `uploads/${pathOf(url)}`;

/** Does what the sweeps of the next two hours do, but removes only these files, because the table has those of other tests. */
async function sweepOfNextHours(paths: readonly string[]) {
  await sweepFiles();
  const removals = await listRemovals(Date.now() + 2 * hourMs, 10_000);
  await removeContents(removals.filter(({ pathId = "" }) => paths.includes(pathId)));
}

test("a file that no message has linked to for four weeks is deleted, first from its owner's list, then its content", async () => {
  const leontes = await aPerson("Leontes");
  const [old, young] = [await upload(leontes, "old.txt"), await upload(leontes, "young.txt")];
  await setUnclaimedSince(pathOf(old), Date.now() - 4 * weekMs - hourMs);
  await setUnclaimedSince(pathOf(young), Date.now() - 4 * weekMs + hourMs);

  const events = await ownEventsOf(leontes, "attachment", () => sweepFiles());

  expect(events).toMatchObject([{ op: "remove" }]);
  expect((await attachmentsOf(leontes)).map(({ name }) => name)).toEqual(["young.txt"]);
  expect((await fetchFile(leontes, old)).status).toBe(404);
  // The content is deleted only when every presigned URL by which it could be stored again has expired.
  await sweepOfNextHours([pathOf(old), pathOf(young)]);
  expect([await findFileSize(fileOf(old)), await findFileSize(fileOf(young))]).toEqual([undefined, 4]);
});

test("a file that a message links to is kept, however old", async () => {
  const leontes = await aPerson("Leontes");
  const url = await upload(leontes, "old.txt");
  const stored = (await findUpload(pathOf(url)))!;
  await setUnclaimedSince(pathOf(url), Date.now() - 9 * weekMs);
  await transact(createClaim(stored, { messageId: 1, sentAt: 1 }));

  await sweepFiles();

  expect((await fetchFile(leontes, url)).status).toBe(200);
});

test("if an upload dies at any call, no file is listed without its content and no unlisted content stays", async () => {
  const leontes = await aPerson("Leontes");
  const file = { name: "wrecked.txt", content: Buffer.from("text") };
  let calls = 0;
  for (const when of ["before", "afterwards"] as const)
    for (let nth = 1; ; nth++) {
      const { reached } = await withFailure(nth, when, () => addUpload(leontes.id, fileInMemory(file), undefined));
      if (!reached) break;
      calls++;
    }
  expect(calls).toBeGreaterThan(8);

  // Each dead upload left a removal record, under a path that was never returned.
  const records = (await listRemovals(Date.now() + 2 * hourMs, 10_000)).filter(({ file }) =>
    file.endsWith("/wrecked.txt"),
  );
  await sweepOfNextHours(records.flatMap(({ pathId }) => pathId ?? []));

  const listed = await attachmentsOf(leontes);
  for (const { path_id } of listed) expect(await findFileSize(`uploads/${path_id}`)).toBe(4);
  for (const { file } of records) expect(await findFileSize(file)).toBeUndefined();
  expect(records.length).toBeGreaterThan(4);
});

test("if a sweep dies at any call, the next one finishes its work", async () => {
  const leontes = await aPerson("Leontes");
  for (const when of ["before", "afterwards"] as const)
    for (let nth = 1; nth < 12; nth++) {
      const url = await upload(leontes, "old.txt");
      await setUnclaimedSince(pathOf(url), Date.now() - 9 * weekMs);

      await withFailure(nth, when, () => sweepOfNextHours([pathOf(url)]));
      await sweepOfNextHours([pathOf(url)]);

      expect([await findUpload(pathOf(url)), await findFileSize(fileOf(url))]).toEqual([undefined, undefined]);
    }
});

test("an upload that a sweep has removed can no longer be completed", async () => {
  const leontes = await aPerson("Leontes");
  const { pending } = await offerUpload(leontes.id, "late.txt", 4);
  await putFile(`uploads/${pending.pathId}`, Buffer.from("late"), "text/plain");

  await sweepOfNextHours([pending.pathId]);

  await expect(completeUpload(pending, { contentType: "text/plain" }, undefined)).rejects.toThrow();
  expect(await findFileSize(`uploads/${pending.pathId}`)).toBeUndefined();
});

test("a removal that is cancelled during a sweep is either cancelled or executed", async () => {
  const removal = { file: `uploads/1/00/taken-${Math.random()}/a.txt`, dueAt: Date.now() - hourMs };
  await putFile(removal.file, Buffer.from("a"), "text/plain");
  await transact([createRemoval(removal)]);

  await Promise.allSettled([sweepFiles(), transact([cancelRemoval(removal)])]);
  await sweepFiles();

  const cancelledAgain = await transact([cancelRemoval(removal)]).then(
    () => true,
    () => false,
  );
  expect(cancelledAgain).toBe(false);
});
