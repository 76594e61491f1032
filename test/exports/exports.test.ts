import { expect, test } from "vitest";
import { abortExport, runStep, sweepExports } from "../../shared/features/exports/run.ts";
import { createExport, type DataExport, findExportWork, listExports } from "../../shared/store/organization/exports.ts";
import { listRemovals } from "../../shared/store/organization/file-removals.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { exportOf, forgetExports, runExport } from "../support/files/exports.ts";
import { fetchFile } from "../support/files.ts";
import { eventsAfter, logEnd } from "../support/log.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, call, costTest } from "../support/world.ts";

const anAdministrator = () => aPerson("Duke", { role: "administrator" });
const refused = (msg: string, code = "BAD_REQUEST") => ({ status: 400, body: { code, msg } });

/** IDs that no export of this organization has, now or in an earlier run. */
const firstUnusedId = Date.now() % 1_000_000_000;

/** An export that no worker processes. */
async function anExport(id: number, overrides: Partial<DataExport> = {}): Promise<DataExport> {
  const requestedAt = Math.floor(Date.now() / 1000);
  const dataExport: DataExport = {
    ...{ id, actingUserId: 1, type: 1, requestedAt, status: "pending" },
    ...{ token: `token${id}`, baseUrl: "http://globe.test" },
    ...overrides,
  };
  const work = { id, step: 0, cursor: { phase: 0, at: 0 }, lastMessageId: 0, parts: 0, leaseUntil: 0 };
  await transact(createExport(dataExport, { ...work, progressAt: Date.now() }));
  return dataExport;
}

test("changes of consent are sent to administrators as events", async () => {
  const [duke, celia] = [await anAdministrator(), await aPerson("Celia")];
  const consentOf = async () =>
    (await duke.call("GET", "/export/realm/consents")).body.export_consents.find(
      ({ user_id }: { user_id: number }) => user_id === celia.id,
    );
  const end = await logEnd();

  expect(await consentOf()).toEqual({ user_id: celia.id, consented: false });
  await celia.do("PATCH", "/settings", { allow_private_data_export: true });

  expect(await consentOf()).toEqual({ user_id: celia.id, consented: true });
  expect(await eventsAfter(end, "realm_export_consent", ({ user_id }) => user_id === celia.id)).toEqual([
    {
      audience: { kind: "administrators" },
      event: { type: "realm_export_consent", user_id: celia.id, consented: true },
    },
  ]);
});

test("administrators get events when an export starts, ends and is deleted with its archive", async () => {
  const duke = await anAdministrator();
  const end = await logEnd();
  const dataExport = await runExport(duke);
  const path = new URL(dataExport.export_url).pathname;

  expect((await duke.call("DELETE", `/export/realm/${dataExport.id}`)).body).toEqual({ result: "success", msg: "" });

  const received = await eventsAfter(end, "realm_export", ({ exports }) =>
    exports.some(({ id }: any) => id === dataExport.id),
  );
  const states = received.map(({ audience, event }) => {
    const { pending, export_url, deleted_timestamp } = (event.exports as any[]).find(({ id }) => id === dataExport.id);
    return [audience.kind, pending, export_url !== null, deleted_timestamp !== null];
  });
  expect(states).toEqual([
    ["administrators", true, false, false],
    ["administrators", false, true, false],
    ["administrators", false, false, true],
  ]);
  expect(await exportOf(duke, dataExport.id)).toMatchObject({
    export_url: null,
    deleted_timestamp: expect.any(Number),
  });
  expect((await fetchFile(undefined, path)).status).toBe(404);
  const dueFiles = (await listRemovals(Date.now(), 10_000)).map(({ file }) => file);
  const { token } = (await listExports()).find(({ id }) => id === dataExport.id)!;
  expect(dueFiles).toContain(`exports/${token}/archive.tar.gz`);
  expect(await duke.call("DELETE", `/export/realm/${dataExport.id}`)).toMatchObject(refused("Export already deleted"));
});

test("guessed URLs, and those of unfinished exports, return 404", async () => {
  const duke = await anAdministrator();
  const dataExport = await runExport(duke);
  const { pathname } = new URL(dataExport.export_url);
  const pending = await anExport(firstUnusedId + 1);

  for (const path of [
    pathname.replace(/[\w-]{32}/, "x".repeat(32)),
    pathname.replace(`/${dataExport.id}/`, "/0/"),
    `/exports/${pending.id}/${pending.token}/a.tar.gz`,
  ])
    expect((await fetchFile(undefined, path)).status).toBe(404);
  expect(await duke.call("DELETE", `/export/realm/${pending.id}`)).toMatchObject(refused("Export still in progress"));
  expect(await duke.call("DELETE", `/export/realm/${firstUnusedId + 99}`)).toMatchObject(
    refused("Invalid data export ID"),
  );
  await abortExport(pending.id);
});

test("a sixth export in a week, and one of an invalid type, are refused", async () => {
  const duke = await anAdministrator();
  await forgetExports();
  for (let id = firstUnusedId + 10; id < firstUnusedId + 15; id++) await anExport(id, { status: "failed", endedAt: 1 });

  expect(await duke.call("POST", "/export/realm")).toMatchObject(refused("Exceeded rate limit."));

  await forgetExports();
  for (const export_type of [0, 3, "public"])
    expect(await duke.call("POST", "/export/realm", { export_type })).toMatchObject({
      status: 400,
      body: { code: "BAD_REQUEST" },
    });
  expect(await duke.call("POST", "/export/realm", { export_type: 3 })).toMatchObject(refused("Invalid export_type"));
});

test("only administrators can export", async () => {
  const jaques = await aPerson("Jaques", { role: "moderator" });
  const calls: [string, string][] = [
    ["POST", "/export/realm"],
    ["GET", "/export/realm"],
    ["DELETE", "/export/realm/1"],
    ["GET", "/export/realm/consents"],
  ];

  for (const [method, path] of calls) {
    expect(await jaques.call(method, path)).toMatchObject(
      refused("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL"),
    );
    expect(await call(method, path)).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
  }
});

test("a failed export is shown as failed, and its files are deleted", async () => {
  const duke = await anAdministrator();
  const dataExport = await anExport(firstUnusedId + 20, { actingUserId: 1_000_000 });

  await expect(runStep(dataExport.id, 0)).rejects.toThrow("no longer exists");
  await abortExport(dataExport.id);

  expect(await exportOf(duke, dataExport.id)).toMatchObject({ pending: false, failed_timestamp: expect.any(Number) });
  expect(await duke.call("DELETE", `/export/realm/${dataExport.id}`)).toMatchObject(
    refused("Export failed, nothing to delete"),
  );
  const dueFiles = (await listRemovals(Date.now() + 3_600_000, 10_000)).map(({ file }) => file);
  expect(dueFiles).toContain(`exports/${dataExport.token}/archive.tar.gz`);
});

test("the sweep resumes an export whose job was lost, and fails one that takes more than a day", async () => {
  const duke = await anAdministrator();
  const [lost, otherLost] = [await anExport(firstUnusedId + 30), await anExport(firstUnusedId + 31)];
  const sweepAfter = async (milliseconds: number) => sweepExports(Date.now() + milliseconds);

  await sweepAfter(0);
  expect(await findExportWork(lost.id)).toMatchObject({ step: 0 });
  await sweepAfter(1_000_000);
  await eventually(async () => (await exportOf(duke, lost.id)).export_url !== null);
  await eventually(async () => (await exportOf(duke, otherLost.id)).export_url !== null);

  const stuck = await anExport(firstUnusedId + 32, { requestedAt: Math.floor(Date.now() / 1000) - 90_000 });
  await sweepAfter(0);
  expect(await exportOf(duke, stuck.id)).toMatchObject({ failed_timestamp: expect.any(Number) });
});

costTest("requesting an export costs at most 22 write units", async () => {
  const duke = await anAdministrator();
  await forgetExports();

  const { cost, body } = await duke.call("POST", "/export/realm");

  await eventually(async () => !(await exportOf(duke, body.id)).pending);
  expect(cost.writeUnits).toBeLessThanOrEqual(22);
});
