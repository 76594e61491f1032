import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { roles } from "../../../shared/base/schema/roles.ts";
import { createOrganization } from "../../../shared/features/bootstrap/create.ts";
import { parseOrganizationFile } from "../../../shared/features/bootstrap/organization-file.ts";
import { forgetFinished, giveUpImport } from "../../../shared/features/import/give-up.ts";
import { clearTable } from "../../../shared/features/import/replaced.ts";
import { waitOutThrottling } from "../../../shared/features/import/throttling.ts";
import { findProgress, newProgress, writeImport } from "../../../shared/features/import/write.ts";
import { planZulipImport } from "../../../shared/features/import/zulip/plan.ts";
import { sendWelcome } from "../../../shared/features/users/welcome.ts";
import { deleteFile, listFileKeys, s3 } from "../../../shared/services/blobs/bucket.ts";
import { loadRealm } from "../../../shared/services/organization/access.ts";
import { readHead } from "../../../shared/store/log/log.ts";
import { findMessage } from "../../../shared/store/messages/messages.ts";
import { createImport, findImport } from "../../../shared/store/organization/import.ts";
import { findOrganization } from "../../../shared/store/organization/organization.ts";
import { get } from "../../../shared/store/table/client.ts";
import { transact } from "../../../shared/store/table/transactions.ts";
import { put } from "../../../shared/store/table/writes.ts";
import { findAccount } from "../../../shared/store/users/accounts.ts";
import { createDraft } from "../../../shared/store/users/drafts.ts";
import { findUser } from "../../../shared/store/users/users.ts";
import { whileThrottled, withFailure, withThrottling } from "../../support/faults.ts";
import { leaveSeparateTables, useSeparateTable } from "../../support/table/separate-table.ts";
import { target } from "../../support/target.ts";
import { items } from "./imported-items.ts";
import { aFolder } from "./slack-archive.ts";
import { theTempest } from "./zulip-archive.ts";

/** Imports in place of an organization that was just created. */

Object.assign(process.env, target().environment);
const globe = readFileSync(join(import.meta.dirname, "../../support/globe.png"));
const archive = aFolder(theTempest(globe));
const options = { ownerEmail: undefined, oldUrl: undefined, secret: "a secret", now: 1_750_000_000 };

// Of this file alone: whoever gives an import up deletes files.
process.env.FILES_BUCKET = "imported";
beforeAll(() => s3().send(new CreateBucketCommand({ Bucket: "imported" })));
beforeEach(() => create("prospero@milan.example"));
afterEach(leaveSeparateTables);

/** An organization with its owner, a channel and a message of a bot, in a table of its own. */
async function create(email: string, more: object = {}): Promise<void> {
  useSeparateTable();
  const file = {
    name: "Anew",
    users: [{ email, full_name: "The Duke", role: "owner", password: "a-book-drowned" }],
    channels: [{ name: "general", is_default_stream: true }],
    ...more,
  };
  await createOrganization(parseOrganizationFile(JSON.stringify(file)), process.env, ".");
  await sendWelcome(1, "Welcome!", await loadRealm());
}

async function importArchive(folder = archive) {
  await forgetFinished();
  const progress = { ...(await findProgress(folder)), startedAt: options.now };
  const plan = planZulipImport(folder, { ...options, owner: progress.replaces?.owner });
  return writeImport(plan, "Milan", progress);
}

test("whoever has the owner's address in the archive is the owner, with the password that the owner had", async () => {
  const before = await findAccount("prospero@milan.example");
  const { uuid, usersVersion = 0 } = (await findOrganization()) ?? {};

  await importArchive();

  const account = await findAccount("prospero@milan.example");
  expect(account).toMatchObject({ userId: 1, role: roles.owner, passwordHash: before?.passwordHash });
  expect(account?.keyHash).not.toBe(before?.keyHash);
  expect(await findUser(1)).toMatchObject({ fullName: "Prospero" });
  expect(await loadRealm()).toMatchObject({ name: "Milan", uuid, usersVersion: usersVersion + 1 });
  expect((await findMessage(1))?.content).not.toBe("Welcome!");
  expect(await findImport()).toBeUndefined();
});

test("without the owner's address in the archive, the owner is one more person", async () => {
  await create("gonzalo@naples.example");

  await importArchive();

  const account = await findAccount("gonzalo@naples.example");
  expect(account).toMatchObject({ userId: 7, role: roles.owner, passwordHash: expect.any(String) });
  expect(await findUser(7)).toMatchObject({ fullName: "The Duke", role: roles.owner });
  // The bots of the server come after everybody.
  expect(await loadRealm()).toMatchObject({ notificationBotId: 8, ownerIds: new Set([1, 7]) });
  expect(await findMessage(7)).toMatchObject({ senderId: 8 });
});

test.each([
  [
    "other people",
    {
      users: [
        { email: "a@b.example", full_name: "A", role: "owner" },
        { email: "c@d.example", full_name: "C" },
      ],
    },
  ],
  ["bots", { bots: [{ email: "x-bot@b.example", full_name: "X", type: "generic", owner: "prospero@milan.example" }] }],
  ["groups that somebody created", { user_groups: [{ name: "lords", members: [] }] }],
  [
    "messages",
    {
      conversations: [
        {
          ...{ channel: "general", topic: "isle" },
          messages: [{ from: "prospero@milan.example", sent: "-1d 09:00", content: "Mine" }],
        },
      ],
    },
  ],
])("an organization that has %s is left as it is", async (what, more) => {
  await create("prospero@milan.example", more);
  const before = await items();

  await expect(importArchive()).rejects.toThrow(
    `There is an organization already, and it has ${what}. Archives are imported into a new organization, or into`,
  );

  expect(await items()).toEqual(before);
});

test("an organization that somebody uses while it is closed is opened again", async () => {
  const progress = await findProgress(archive);
  const plan = planZulipImport(archive, { ...options, owner: progress.replaces?.owner });
  const before = await items();
  // Of a request that began before the organization was closed.
  const draft = { id: 1, userId: 1, type: "" as const, to: [], topic: "", content: "Now", timestamp: 1 };
  await transact([createDraft(draft)]);

  await expect(writeImport(plan, "Milan", progress)).rejects.toThrow(
    "Somebody has used the organization in the meantime",
  );

  const after = await items();
  expect([...after.keys()].filter((key) => !before.has(key))).toEqual(["USER#1 DRAFT#0000000000000001"]);
  for (const [key, item] of before) expect(after.get(key)).toEqual(item);
  await expect(importArchive()).rejects.toThrow("it has drafts");
});

test.each([{ settingsVersion: 9 }, { pushUsed: true }])(
  "an organization that was changed before it is closed stays open: %j",
  async (change) => {
    const progress = await findProgress(archive);
    const plan = planZulipImport(archive, options);
    const organization = await findOrganization();
    await transact([put({ pk: "ORGANIZATION", sk: "ORGANIZATION", ...organization, ...change })]);

    await expect(writeImport(plan, "Milan", progress)).rejects.toThrow(
      "Somebody has used the organization in the meantime",
    );

    expect(await loadRealm()).toMatchObject({ name: "Anew", ...change });
  },
);

test("what began to use the organization has its time from when it is closed, however long the plan took", async () => {
  const progress = await findProgress(archive);
  const plan = planZulipImport(archive, { ...options, owner: progress.replaces?.owner });
  const plannedAt = Date.now();

  for (let nth = 1; !(await findImport()); nth++)
    await withFailure(nth, "afterwards", () => writeImport(plan, "Milan", progress, { settleMs: 3_600_000 }));

  expect((await findImport())?.replaces?.closedAt).toBeGreaterThanOrEqual(plannedAt);
});

test("an import waits while the table throttles", async () => {
  await importArchive();
  const undisturbed = await items();
  await create("prospero@milan.example");

  await whileThrottled(async () => {
    const end = waitOutThrottling();
    await importArchive().finally(end);
  });

  expect(withoutPassword(await items())).toEqual(withoutPassword(undisturbed));
}, 120_000);

test("an import that has waited too long ends, and says what to do", async () => {
  const end = waitOutThrottling(100);
  try {
    const repeat = "Repeat the command later: it continues";
    await expect(withThrottling(1, true, () => transact([createImport(newProgress(archive))]))).rejects.toThrow(repeat);
    // As for a call of the log whose own deadline has passed.
    const head = { key: { pk: "LOG", sk: "HEAD" }, consistent: true };
    await expect(get(head, { abortSignal: AbortSignal.abort() })).rejects.toThrow(repeat);
  } finally {
    end();
  }
});

test("a run that another has taken over deletes nothing any more", async () => {
  await transact([createImport({ ...newProgress(archive), run: "the second" })]);
  const before = await items();

  await expect(clearTable("the first", () => new Error("taken over"))).rejects.toThrow("taken over");

  expect(await items()).toEqual(before);
});

test("another archive can be imported when an import ended before it deleted anything", async () => {
  for (let nth = 1; !(await findImport()); nth++) await withFailure(nth, "afterwards", () => importArchive());
  await expect(loadRealm()).rejects.toThrow("being imported");

  await importArchive(aFolder(theTempest(globe)));

  expect(await loadRealm()).toMatchObject({ name: "Milan" });
});

test("an import that dies at one call after another is continued, and leaves nothing of the former organization", async () => {
  await importArchive();
  const undisturbed = await items();
  for (const when of ["before", "afterwards"] as const) {
    await create("prospero@milan.example");
    for (let [nth, reached] = [1, true]; reached; nth += nth < 12 ? 1 : 6) {
      const attempt = await withFailure(nth, when, () => importArchive());
      ({ reached } = attempt);
      if (!reached && attempt.error) expect(String(attempt.error)).toContain("There is an organization already");
    }
    expect(withoutPassword(await items())).toEqual(withoutPassword(undisturbed));
  }
}, 600_000);

test("an import that dies at one call after another is given up, and everything is as it was before", async () => {
  for await (const key of listFileKeys("")) await deleteFile(key);
  for (let [nth, isOver] = [1, false]; !isOver; nth += nth < 12 ? 1 : 6) {
    const when = nth % 2 === 0 ? "before" : "afterwards";
    await create("prospero@milan.example");
    const [before, { message }] = [await everything(), await readHead()];
    await withFailure(nth, when, () => importArchive());
    isOver = (await findOrganization())?.name === "Milan";
    for (let [call, dies] = [nth, true]; dies; call += 13)
      ({ reached: dies } = await withFailure(call, when, () => giveUpImport(0)));
    if (isOver) break;

    expect(await everything()).toEqual(before);
    expect((await readHead()).message).toBe(message);
    expect(await Array.fromAsync(listFileKeys(""))).toEqual([]);
    expect(await loadRealm()).toMatchObject({ name: "Anew" });
  }
  expect((await everything()).filter(([key]) => /^(IMPORT|REPLACED) /.test(key))).toEqual([]);
}, 600_000);

test("where there was nothing, nothing is left of an import that is given up, and another can begin", async () => {
  for (const nth of [10, 14, 20, 45]) {
    useSeparateTable();
    const { reached } = await withFailure(nth, "afterwards", () => importArchive());
    expect(reached).toBe(true);
    await giveUpImport(0);

    expect(await everything()).toEqual([]);
    expect(await readHead()).toMatchObject({ message: 0, scheduledMessage: 0 });
  }
  await expect(giveUpImport(0)).rejects.toThrow("There is no unfinished import here");
  await importArchive();
  expect(await loadRealm()).toMatchObject({ name: "Milan" });
}, 120_000);

test("an import that is being given up is not continued", async () => {
  for (let nth = 12; ; nth++) {
    await withFailure(nth, "afterwards", () => importArchive());
    if ((await findImport())?.replaces?.account) break;
  }
  await withFailure(4, "afterwards", () => giveUpImport(0));

  await expect(importArchive()).rejects.toThrow("An import is being given up here");

  await giveUpImport(0);
  expect(await loadRealm()).toMatchObject({ name: "Anew" });
});

/** All items but those of the log, and what is in them but the times of cursors that followed the log. */
const everything = async () => [...(await items())].filter(([key]) => !/^(PUSH|CHANNELTRAFFIC|LOG) /.test(key)).sort();

/** Passwords have random salts, and cursors times. */
function withoutPassword(found: Awaited<ReturnType<typeof items>>) {
  return [...found].flatMap(([key, { passwordHash, ...item }]) =>
    /^(PUSH|CHANNELTRAFFIC) /.test(key) ? [] : [[key, { ...item, hasPassword: passwordHash !== undefined }]],
  );
}
