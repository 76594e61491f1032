import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { archiveFile } from "../../shared/features/exports/files.ts";
import { abortExport, runStep } from "../../shared/features/exports/run.ts";
import { addUpload } from "../../shared/messaging/uploads/actions.ts";
import { beginMultipartUpload, putPart } from "../../shared/services/blobs/multipart.ts";
import { fileInMemory } from "../../shared/services/http/uploaded-files.ts";
import { readHead } from "../../shared/store/log/log.ts";
import {
  createExport,
  type DataExport,
  findExport,
  findExportWork,
  listExportParts,
  updateExportWork,
} from "../../shared/store/organization/exports.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { withFailure } from "../support/faults.ts";
import { downloadArchive } from "../support/files/exports.ts";
import { problemsOf } from "../support/files/zulip-format.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { fillTopic } from "../support/table/fill-topic.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** Runs on a private host, because an export contains the whole organization, which other test files make large. */

let host: PrivateHost;
beforeAll(async () => {
  host = await aPrivateHost();
  Object.assign(process.env, host.environment);
}, 60_000);
afterAll(() => host?.stop());

/** The number of parts of incomplete multipart uploads on the host. */
function countUnfinishedParts(): number {
  const database = new DatabaseSync(join(host.dataFolder, "aws", "aws.sqlite"), { readOnly: true });
  try {
    return Number(database.prepare("SELECT count(*) AS parts FROM upload_parts").get()?.parts);
  } finally {
    database.close();
  }
}

const hashOf = (content: Buffer | undefined) =>
  createHash("sha256")
    .update(content ?? "")
    .digest("hex");

/** An export whose first job has not been sent yet. */
async function anExport(id: number, administrator: Person, baseUrl: string, type: 1 | 2 = 1): Promise<DataExport> {
  const { message: lastMessageId } = await readHead();
  const requestedAt = Math.floor(Date.now() / 1000);
  const dataExport: DataExport = {
    ...{ id, actingUserId: administrator.id, type, requestedAt, status: "pending", baseUrl },
    token: randomBytes(24).toString("base64url"),
  };
  const work = { id, step: 0, cursor: { phase: 0, at: 0 }, lastMessageId, parts: 0, leaseUntil: 0 };
  await transact(createExport(dataExport, { ...work, progressAt: Date.now() }));
  return dataExport;
}

/** Finishes an export as the queue would: it redelivers the step after the lease of the worker that died. */
async function finish(id: number, step: number, partsFrom?: number): Promise<void> {
  await transact([updateExportWork(id, step, { set: { leaseUntil: 0 } })]).catch(() => {});
  for (;;) {
    const [dataExport, work] = await Promise.all([findExport(id), findExportWork(id)]);
    if (dataExport?.status !== "pending" || !work) return;
    // The fleet's worker may be running the same step: then this does nothing.
    await runStep(id, work.step, partsFrom);
    await pause(20);
  }
}

test("wherever an export dies, its archive is complete in the end", async () => {
  const duke = await aPerson("Duke", { role: "administrator" });
  const arden = await aChannel("arden", [duke]);
  // More data than one part of the archive, so that the export has several steps.
  const content = randomBytes(9 * 1024 * 1024);
  const { pathId } = (await addUpload(duke.id, fileInMemory({ name: "deer.bin", content }), undefined))!;
  const params = { type: "channel", to: arden.id, topic: "t", content: `[deer](/user_uploads/${pathId})` };
  await duke.do("POST", "/messages", params, { url: host.url });

  let id = 910_000;
  let deaths = 0;
  for (const when of ["before", "afterwards"] as const)
    for (let nth = 1; ; nth += 7) {
      const dataExport = await anExport(id++, duke, "http://globe.test");
      const { reached, error } = await withFailure(nth, when, () => runStep(dataExport.id, 0));
      if (error) deaths++;
      await finish(dataExport.id, 0);

      expect(await findExport(dataExport.id)).toMatchObject({ status: "done" });
      expect((await listExportParts(dataExport.id)).length).toBeGreaterThanOrEqual(1);
      const { files, tables } = await downloadArchive(
        `http://globe.test/exports/${dataExport.id}/${dataExport.token}/a.tar.gz`,
        host.url,
      );
      expect(hashOf(files.get(`uploads/${pathId}`))).toBe(hashOf(content));
      expect(problemsOf(tables)).toEqual([]);
      if (!reached) break;
    }
  expect(deaths).toBeGreaterThan(5);
  expect(countUnfinishedParts()).toBe(0);
}, 240_000);

test("wherever a failing export dies, no part of its archive stays", async () => {
  const duke = await aPerson("Duke", { role: "administrator" });
  let id = 930_000;
  let deaths = 0;
  for (const when of ["before", "afterwards"] as const)
    for (let nth = 1; ; nth++) {
      const dataExport = await anExport(id++, duke, "http://globe.test");
      const file = archiveFile(dataExport.token);
      const uploadId = await beginMultipartUpload(file, "application/gzip");
      await putPart(file, uploadId, 1, Buffer.from("part"));
      await transact([updateExportWork(dataExport.id, 0, { set: { uploadId } })]);
      const { reached, error } = await withFailure(nth, when, () => abortExport(dataExport.id));
      if (error) deaths++;
      await abortExport(dataExport.id);

      expect(await findExport(dataExport.id)).toMatchObject({ status: "failed" });
      if (!reached) break;
    }
  expect(deaths).toBeGreaterThan(5);
  expect(countUnfinishedParts()).toBe(0);
}, 120_000);

test("many messages are in several files of at most a thousand, each message once", async () => {
  const [duke, celia] = [await aPerson("Duke", { role: "administrator" }), await aPerson("Celia")];
  const arden = await aChannel("arden", [duke, celia]);
  await celia.do("PATCH", "/settings", { allow_private_data_export: true }, { url: host.url });
  const sent = await fillTopic(duke, arden, "exile", 2300);
  const dataExport = await anExport(940_000, duke, "http://globe.test", 2);

  await finish(dataExport.id, 0);

  const { tables, json, messageFiles } = await downloadArchive(
    `http://globe.test/exports/${dataExport.id}/${dataExport.token}/a.tar.gz`,
    host.url,
  );
  expect(problemsOf(tables)).toEqual([]);
  const sizes = messageFiles.map((path) => json(path).zerver_message.length);
  expect(messageFiles.length).toBeGreaterThanOrEqual(3);
  expect(Math.max(...sizes)).toBe(1000);
  expect(messageFiles).toEqual(sizes.map((_, index) => `messages-${String(index + 1).padStart(6, "0")}.json`));
  const inArden = tables.zerver_recipient!.find(({ type, type_id }) => type === 2 && type_id === arden.id)!.id;
  const exported = tables.zerver_message!.filter(({ recipient }) => recipient === inArden).map(({ id }) => id);
  expect(exported).toEqual(sent);
  const received = tables.zerver_usermessage!.filter(({ user_profile }) => user_profile === celia.id);
  expect(received.map(({ message }) => message)).toEqual(expect.arrayContaining(sent));
}, 120_000);

test("an export in many small steps has the same result as one in few", async () => {
  const duke = await aPerson("Duke", { role: "administrator" });
  const [inManySteps, inFewSteps] = [
    await anExport(920_000, duke, "http://globe.test"),
    await anExport(920_001, duke, "http://globe.test"),
  ];

  await finish(inManySteps.id, 0, 1);
  await finish(inFewSteps.id, 0);

  const [a, b] = await Promise.all(
    [inManySteps, inFewSteps].map(({ id, token }) =>
      downloadArchive(`http://globe.test/exports/${id}/${token}/a.tar.gz`, host.url),
    ),
  );
  expect([...a!.files.keys()]).toEqual([...b!.files.keys()]);
  expect(a!.tables).toEqual(b!.tables);
}, 120_000);
