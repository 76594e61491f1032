import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { withHost } from "../../../shared/base/host.ts";
import { observeTableCalls } from "../../../shared/base/table-port/observe.ts";
import { createOrganization } from "../../../shared/features/bootstrap/create.ts";
import { parseOrganizationFile } from "../../../shared/features/bootstrap/organization-file.ts";
import { giveUpImport } from "../../../shared/features/import/give-up.ts";
import { makeOwnFolder } from "../../../shared/features/import/own-folder.ts";
import { giveUp, proceed, requestImport } from "../../../shared/features/import/requests/actions.ts";
import { runImport } from "../../../shared/features/import/requests/run.ts";
import { sendWelcome } from "../../../shared/features/users/welcome.ts";
import { deleteFile, listFileKeys, putFile, s3 } from "../../../shared/services/blobs/bucket.ts";
import { loadRealm } from "../../../shared/services/organization/access.ts";
import { auditRecord, listAuditRecords } from "../../../shared/store/organization/audit-log.ts";
import { findImport } from "../../../shared/store/organization/import.ts";
import { findImportRequest, type ImportRequest } from "../../../shared/store/organization/import-request.ts";
import { findOrganization } from "../../../shared/store/organization/organization.ts";
import { createSecondFactor, findSecondFactor } from "../../../shared/store/second-factors/second-factors.ts";
import { updateItem } from "../../../shared/store/table/single-writes.ts";
import { transact } from "../../../shared/store/table/transactions.ts";
import { findAccount, updateAccount } from "../../../shared/store/users/accounts.ts";
import { withFailure } from "../../support/faults.ts";
import { leaveSeparateTables, useSeparateTable } from "../../support/table/separate-table.ts";
import { target } from "../../support/target.ts";
import { theTempest as discordTempest } from "./discord-archive.ts";
import { items } from "./imported-items.ts";
import { theTempest as mattermostTempest } from "./mattermost-archive.ts";
import { theTempest as rocketChatTempest } from "./rocketchat-archive.ts";
import { aFolder, theTempest as slackTempest } from "./slack-archive.ts";
import { theTempest } from "./zulip-archive.ts";

/** Imports that an owner asks for in the page: what a run that dies leaves to the next one, and what is left in the end. */

Object.assign(process.env, target().environment);
process.env.FILES_BUCKET = "imported-in-page";

const globe = readFileSync(join(import.meta.dirname, "../../support/globe.png"));
const packed = (files: Record<string, unknown>) =>
  execFileSync("tar", ["cz", "-C", aFolder(files), "."], { maxBuffer: 1 << 28 });
const archive = packed(theTempest(globe));

beforeAll(() => s3().send(new CreateBucketCommand({ Bucket: "imported-in-page" })));
beforeEach(create);
afterEach(leaveSeparateTables);

async function create(): Promise<void> {
  useSeparateTable();
  for await (const key of listFileKeys("")) await deleteFile(key);
  const file = {
    name: "Anew",
    users: [{ email: "prospero@milan.example", full_name: "The Duke", role: "owner", password: "a-book-drowned" }],
    channels: [{ name: "general", is_default_stream: true }],
  };
  await createOrganization(parseOrganizationFile(JSON.stringify(file)), process.env, ".");
  await sendWelcome(1, "Welcome!", await loadRealm());
}

/** A run, as the fleet's function makes it; nobody else writes here, so nothing has to settle. */
const run = () => withHost({ settleMs: 0 }, runImport);

/** The lease of a run that died has expired. */
const expireLease = () => updateItem({ pk: "IMPORT", sk: "REQUEST" }, { set: { leaseUntil: 0 } });

const current = async (): Promise<ImportRequest> => (await findImportRequest()) as ImportRequest;

async function upload(content: Buffer = archive, name = "export.tar.gz", ownerName?: string): Promise<void> {
  await requestImport(1, { fileName: name, size: content.length, ...(ownerName && { ownerName }) });
  await putFile(`imports/${(await current()).id}/0`, content, "application/gzip");
}

async function check(): Promise<ImportRequest> {
  await proceed(await current(), "checking");
  await run();
  return current();
}

const keys = () => Array.fromAsync(listFileKeys("imports/"));
/** What runs of this process have unpacked. */
const unpacked = () => readdirSync(tmpdir()).filter((name) => /^skein-import-/.test(name) && isOwn(name));
const isOwn = (name: string) => name.includes(`-${process.pid}-`) && existsSync(join(tmpdir(), name));

test("an archive is checked without a change, and imported when the owner confirms it", async () => {
  const before = await items();
  await upload();

  const checked = await check();

  expect(checked).toMatchObject({ state: "checked", name: "Milan", leaseUntil: 0 });
  expect(checked.report).toContain("Imported:");
  const after = await items();
  for (const [key, item] of before) expect([key, after.get(key)]).toEqual([key, item]);
  expect(await keys()).toHaveLength(1);

  expect(await proceed(checked, "importing")).toMatchObject({ done: 0, total: 0 });
  await run();

  expect(await current()).toMatchObject({ state: "done", name: "Milan" });
  expect(await loadRealm()).toMatchObject({ name: "Milan" });
  expect([await keys(), unpacked(), await findImport()]).toEqual([[], [], undefined]);
}, 120_000);

test("the owner keeps the second factor, and the audit log its records", async () => {
  await transact([
    createSecondFactor({
      userId: 1,
      id: "staff",
      salt: "a-spell",
      lastStep: 7,
      createdAt: 1,
      recoveryHashes: new Set(["x"]),
    }),
    updateAccount("prospero@milan.example", { set: { secondFactor: "staff" } }, { userId: 1 }),
    auditRecord("api_key_shown", { userId: 1 }),
  ]);
  await upload();
  await proceed(await check(), "importing");

  await run();

  const account = await findAccount("prospero@milan.example");
  const { userId } = account as { userId: number };
  expect([account?.secondFactor, await findSecondFactor(userId)]).toMatchObject([
    "staff",
    { userId, id: "staff", salt: "a-spell", lastStep: 7, recoveryHashes: new Set(["x"]) },
  ]);
  expect(await listAuditRecords(10)).toMatchObject([
    { type: "organization_imported", userId, name: "The Duke" },
    { type: "import_started", userId: 1, name: "The Duke" },
    { type: "api_key_shown" },
  ]);
}, 60_000);

test.each([
  ["is no archive", Buffer.from("no archive"), "export.zip", /^export\.zip: .*[^.]\.$/],
  ["is no export", packed({ "readme.txt": "Hello" }), "export.tar.gz", /^This is not an export of Slack/],
])("an archive that %s fails by name, and nothing is left of it", async (_, content, name, problem) => {
  await upload(content, name);

  expect(await check()).toMatchObject({ state: "failed", problem: expect.stringMatching(problem) });
  expect([await keys(), unpacked()]).toEqual([[], []]);
  expect(await loadRealm()).toMatchObject({ name: "Anew" });
});

test.each([
  ["Slack", slackTempest("https://files.slack.example"), "Acme Slack export Jan 1 2020 - Nov 1 2026.tar.gz", "Acme"],
  ["Mattermost", mattermostTempest(globe), "export.tar.gz", expect.any(String)],
  ["Rocket.Chat", rocketChatTempest(globe), "export.tar.gz", expect.any(String)],
  ["Discord", discordTempest(globe), "export.tar.gz", "Milan"],
])(
  "an export of %s is imported",
  async (_, files, fileName, name) => {
    await upload(packed(files), fileName, "prospero");

    const checked = await check();
    expect(checked).toMatchObject({ state: "checked", name, report: expect.stringContaining("Imported:") });
    await proceed(checked, "importing");
    await run();

    expect(await current()).toMatchObject({ state: "done" });
    expect((await loadRealm()).name).toBe(checked.name);
    expect([await keys(), unpacked()]).toEqual([[], []]);
  },
  120_000,
);

test("an export of Discord needs the owner's name there", async () => {
  await upload(packed(discordTempest(globe)));

  expect(await check()).toMatchObject({ state: "failed", problem: expect.stringContaining("say what you are called") });
});

test("a check that dies at one call after another is made again, and in the end", async () => {
  for (let [nth, reached] = [1, true]; reached; nth += 5) {
    await create();
    await upload();
    await proceed(await current(), "checking");
    const attempt = await withFailure(nth, nth % 2 === 0 ? "before" : "afterwards", run);
    ({ reached } = attempt);
    await expireLease();
    await run();

    expect([nth, (await current()).state]).toEqual([nth, "checked"]);
    expect([unpacked(), await findImport()]).toEqual([[], undefined]);
    if (nth > 60) nth += 40;
  }
}, 600_000);

test("an import that dies at one call after another is continued", async () => {
  for (const when of ["before", "afterwards"] as const) {
    await create();
    await upload();
    await proceed(await check(), "importing");
    for (let [nth, reached] = [1, true]; reached; nth += nth < 30 ? 1 : 9) {
      // A run that died without coming further counts; the next one may not be the fifth.
      await updateItem({ pk: "IMPORT", sk: "REQUEST" }, { set: { attempts: 0 } });
      ({ reached } = await withFailure(nth, when, run));
      await expireLease();
      const { state, problem } = await current();
      expect([nth, state, problem]).toEqual([nth, expect.stringMatching(/^(importing|done)$/), undefined]);
    }
    expect(await current()).toMatchObject({ state: "done" });
    expect(await loadRealm()).toMatchObject({ name: "Milan" });
    await run();
    expect([await keys(), unpacked(), await findImport()]).toEqual([[], [], undefined]);
    expect([...(await items()).keys()].filter((key) => /^REPLACED /.test(key))).toEqual([]);
  }
}, 600_000);

test("an import that is given up at any time puts back what was before, wherever that dies", async () => {
  for (const nth of [1, 4, 8, 12, 16, 24, 40, 60]) {
    await create();
    const before = await items();
    await upload();
    await proceed(await check(), "importing");
    await withFailure(nth, "afterwards", run);
    await expireLease();
    if ((await current()).state === "done") break;
    await giveUp(await current());
    for (let call = nth; (await current()).state === "importing"; call += 17) {
      await withFailure(call, "before", run);
      await expireLease();
      await updateItem({ pk: "IMPORT", sk: "REQUEST" }, { set: { attempts: 0 } });
    }

    expect(await current()).toMatchObject({ state: "failed", problem: expect.stringContaining("given up") });
    await run();
    expect([await keys(), unpacked(), await findImport()]).toEqual([[], [], undefined]);
    expect(kept(await items())).toEqual(kept(before));
  }
}, 600_000);

/** The call to the table before which the import is given up; counts down. */
let callsUntilGivenUp = 0;
/** The call before which something else happens. */
let callsUntilOther = 0;
let other: () => unknown = () => {};
observeTableCalls(async (_, continueCall) => {
  if (callsUntilGivenUp > 0 && --callsUntilGivenUp === 0) await giveUp(await current());
  if (callsUntilOther > 0 && --callsUntilOther === 0) await other();
  return continueCall();
});

test("a check that takes too long is not made again", async () => {
  await upload();
  await proceed(await current(), "checking");
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    other = () => vi.setSystemTime(Date.now() + 801_000);
    callsUntilOther = 6;
    await run();
    expect(callsUntilOther).toBe(0);
  } finally {
    vi.useRealTimers();
  }

  expect(await current()).toMatchObject({ state: "failed", problem: expect.stringContaining("within 15 minutes") });
});

test("an organization that somebody uses while it is closed is left, and the problem names no command", async () => {
  await upload();
  await proceed(await check(), "importing");
  const running = withHost({ settleMs: 2000 }, runImport);
  while (await findOrganization()) await new Promise(setImmediate);
  await updateItem({ pk: "USER#1", sk: "DRAFT#0000000000000001" }, { set: { id: 1 } });

  await running;

  const problem = expect.stringMatching(/it was left as it was\. Upload the archive again/);
  expect(await current()).toMatchObject({ state: "failed", problem });
});

test("what a killed run has unpacked is removed by the next one, whatever it does", async () => {
  const { path, remove } = makeOwnFolder();
  const left = path.replace(`-${process.pid}-`, "-4194400-");
  mkdirSync(left);
  remove();

  await run();

  expect(existsSync(left)).toBe(false);
});

test("nothing is left of a replaced upload, wherever its replacement dies", async () => {
  for (let [nth, reached] = [1, true]; reached; nth++) {
    await create();
    await upload();
    await updateItem({ pk: "IMPORT", sk: "REQUEST" }, { set: { linksEndAt: 1 } });
    const again = () => requestImport(1, { fileName: "export.zip", size: 1 });
    ({ reached } = await withFailure(nth, "afterwards", again));

    await giveUp(await current());

    expect([nth, await keys()]).toEqual([nth, []]);
  }
}, 60_000);

test("an import that is given up while a run plans, settles or writes puts back what was before", async () => {
  for (let [nth, ends] = [1, false]; !ends; nth += nth < 24 ? 1 : 19) {
    await create();
    const before = await items();
    await upload();
    await proceed(await check(), "importing");
    callsUntilGivenUp = nth;
    await run();
    ends = callsUntilGivenUp > 0 || (await current()).isGivenUp !== true;
    callsUntilGivenUp = 0;
    if (ends) break;
    for (let runs = 0; runs < 3 && (await current()).state === "importing"; runs++) await run();

    expect([nth, await current()]).toMatchObject([
      nth,
      { state: "failed", problem: expect.stringContaining("given up") },
    ]);
    const recorded = (await listAuditRecords(10)).map(({ type }) => type);
    expect(recorded).toEqual((await current()).isBegun ? ["import_given_up", "import_started"] : []);
    expect([await loadRealm(), unpacked(), await findImport()]).toMatchObject([{ name: "Anew" }, [], undefined]);
    expect(kept(await items())).toEqual(kept(before));
  }
}, 600_000);

/** What an import that was given up has put back. */
const kept = (all: Awaited<ReturnType<typeof items>>) =>
  [...all].filter(([key]) => !/^(PUSH|CHANNELTRAFFIC|LOG|IMPORT|AUDIT|OUTBOX\S*) /.test(key)).sort();

test("an import that comes no further is given up", async () => {
  await upload();
  await proceed(await check(), "importing");
  for (const key of await keys()) await deleteFile(key);
  // The first one has begun.
  await putFile((await keysOf())[0] as string, archive, "application/gzip");
  for (let nth = 20; !(await findImport()); nth += 4) {
    await withFailure(nth, "afterwards", run);
    await expireLease();
  }
  for (const key of await keys()) await deleteFile(key);

  for (let runs = 0; runs < 6 && (await current()).state === "importing"; runs++) {
    await run();
    await expireLease();
  }

  expect(await current()).toMatchObject({ state: "failed", problem: expect.stringContaining("failed several times") });
  expect(await loadRealm()).toMatchObject({ name: "Anew" });
}, 120_000);

const keysOf = async () => [`imports/${(await current()).id}/0`];

test("two runs at once import once", async () => {
  await upload();
  await proceed(await check(), "importing");

  await Promise.all([run(), run()]);
  await expireLease();
  await run();

  expect(await current()).toMatchObject({ state: "done" });
  expect(await loadRealm()).toMatchObject({ name: "Milan" });
});

test("an import that is continued although another run has its lease still ends once", async () => {
  await upload();
  await proceed(await check(), "importing");
  const first = run();
  while (!(await findImport()) && (await findOrganization())?.name === "Anew") await new Promise(setImmediate);
  await expireLease();

  await Promise.allSettled([first, run()]);
  await expireLease();
  await run();

  expect(await current()).toMatchObject({ state: "done" });
  expect(await loadRealm()).toMatchObject({ name: "Milan" });
}, 120_000);

test("what an operator has given up is not begun again", async () => {
  await upload();
  await proceed(await check(), "importing");
  for (let nth = 16; !(await findImport()); nth += 4) {
    await withFailure(nth, "afterwards", run);
    await expireLease();
  }
  await giveUpImport(0);

  await run();

  expect(await current()).toMatchObject({ state: "failed", problem: expect.stringContaining("given up") });
  expect(await loadRealm()).toMatchObject({ name: "Anew" });
  expect(await keys()).toEqual([]);
});

test("an upload that nobody continues is deleted after a day, and what ended a day later", async () => {
  await upload();
  const age = (ms: number) => updateItem({ pk: "IMPORT", sk: "REQUEST" }, { set: { changedAt: Date.now() - ms } });
  await age(86_000_000);
  await run();
  expect(await current()).toMatchObject({ state: "uploading" });

  await age(87_000_000);
  await run();

  expect(await current()).toMatchObject({ state: "failed" });
  expect(await keys()).toEqual([]);
  // By a link that was still valid.
  await putFile((await keysOf())[0] as string, archive, "application/gzip");
  await age(87_000_000);
  await run();
  expect([await keys(), await findImportRequest()]).toEqual([[], undefined]);
});
