import { expect, test } from "vitest";
import { deactivatePerson } from "../../../shared/features/users/deactivation.ts";
import { eraseUser } from "../../../shared/features/users/erasure.ts";
import { loadRealm } from "../../../shared/services/organization/access.ts";
import { listUserTopics, replaceUserTopic } from "../../../shared/store/channels/user-topics.ts";
import { navigationViewsKey, putShortList, readShortList } from "../../../shared/store/organization/short-lists.ts";
import { createSecondFactor, findSecondFactor } from "../../../shared/store/second-factors/second-factors.ts";
import { transact } from "../../../shared/store/table/transactions.ts";
import { findAccount, updateAccount } from "../../../shared/store/users/accounts.ts";
import { createAgentKey, listAgentKeys } from "../../../shared/store/users/agent-keys.ts";
import { listBotEntries, readBotStorageUsage, writeBotEntries } from "../../../shared/store/users/bot-storage.ts";
import { type Bot, findBot, updateBot } from "../../../shared/store/users/bots.ts";
import { listDrafts } from "../../../shared/store/users/drafts.ts";
import { findLastPayload, putLastPayload } from "../../../shared/store/users/last-payloads.ts";
import { createMutedUser, listMutedUsers } from "../../../shared/store/users/muted-users.ts";
import { createSnippet, listSnippets } from "../../../shared/store/users/saved-snippets.ts";
import { findUserStatus } from "../../../shared/store/users/user-status.ts";
import { findUser, type User, updateUser } from "../../../shared/store/users/users.ts";
import { withFailure } from "../../support/faults.ts";
import { aBot } from "../../support/people.ts";
import { aPerson } from "../../support/world.ts";

/** The function that erases an account dies; the test's own process runs it. */

test.each(["before", "afterwards"] as const)(
  "an erasure is completed by its repetition, whichever call fails %s it is made",
  async (when) => {
    for (let nth = 1; ; nth++) {
      const shylock = await aPerson("Shylock", { password: "hath-not-a-jew-eyes" });
      await shylock.do("POST", "/users/me/status", { status_text: "at the Rialto" });
      const draft = { type: "private", to: [shylock.id], topic: "", content: "a pound", timestamp: 1 };
      await shylock.do("POST", "/drafts", { drafts: [draft] });
      await transact([
        updateAccount(shylock.email, { set: { secondFactor: "a-factor" } }),
        createSecondFactor({ userId: shylock.id, id: "a-factor", salt: "salt", lastStep: 0, createdAt: 1 }),
      ]);
      const before = await findAccount(shylock.email);
      await deactivatePerson((await findUser(shylock.id)) as User, await loadRealm(), undefined);
      await transact([updateUser(shylock.id, { set: { erased: true } }, { active: false })]);

      const { reached } = await withFailure(nth, when, () => eraseUser(shylock.id));
      await eraseUser(shylock.id);

      const email = `deleted-user-${shylock.id}@deleted.invalid`;
      expect(await findUser(shylock.id)).toMatchObject({ email, fullName: "Deleted user", profileValues: {} });
      const account = await findAccount(email);
      expect([await findAccount(shylock.email), account?.userId, account?.passwordHash]).toEqual([
        ...[undefined, shylock.id, undefined],
      ]);
      expect([(await findUserStatus(shylock.id))?.text ?? "", await listDrafts(shylock.id)]).toEqual(["", []]);
      expect([account?.secondFactor, await findSecondFactor(shylock.id)]).toEqual([undefined, undefined]);
      expect(account?.keyHash).not.toBe(before?.keyHash);
      if (!reached) break;
      expect(nth).toBeLessThan(60);
    }
  },
  240_000,
);

test.each([2, 45])("erases %i saved snippets and keys of agents, which are counted", async (count) => {
  const shylock = await aPerson("Shylock");
  const userId = shylock.id;
  for (let id = 1; id <= count; id++) {
    await transact(createSnippet({ id, userId, title: "bond", content: "a pound", createdAt: 1 }, 100));
    const key = { id: userId * 1000 + id, userId, name: "Tubal", keyHash: "", ownerKeyHash: "", createdAt: 1 };
    await transact(createAgentKey(key, 100));
  }
  await deactivatePerson((await findUser(userId)) as User, await loadRealm(), undefined);
  await transact([updateUser(userId, { set: { erased: true } }, { active: false })]);

  await eraseUser(userId);

  expect([await listSnippets(userId), await listAgentKeys(userId)]).toEqual([[], []]);
});

test("erases what somebody has arranged for themselves, and what their bots keep", async () => {
  const shylock = await aPerson("Shylock");
  const [{ id: botId }, userId] = [await aBot(shylock), shylock.id];
  await transact([
    createMutedUser({ userId, mutedId: 1, mutedAt: 1 }),
    replaceUserTopic(undefined, { userId, channelId: 1, topic: "bonds", policy: 1, updatedAt: 1 }),
    putShortList(navigationViewsKey(userId), await readShortList(navigationViewsKey(userId)), {
      entries: [{ fragment: "narrow/is/alerted", isPinned: true, name: "ducats" }],
    }),
  ]);
  const service = { name: "bank", baseUrl: "https://bank.example", token: "a-ring", interface: 1 as const };
  await transact([updateBot((await findBot(botId)) as Bot, { services: [service], configData: { key: "casket" } })]);
  for (const part of [0, 60]) {
    const entries = new Map(Array.from({ length: 60 }, (_, index) => [String(part + index), "a pound"]));
    const usage = await readBotStorageUsage(botId);
    await transact(writeBotEntries(botId, entries, usage, { entries: part + 60, bytes: 1 }));
  }
  await putLastPayload(botId, new Uint8Array([1]));
  await deactivatePerson((await findUser(userId)) as User, await loadRealm(), undefined);
  for (const id of [userId, botId]) await transact([updateUser(id, { set: { erased: true } }, { active: false })]);

  for (const id of [userId, botId]) await eraseUser(id);

  expect([await listMutedUsers(userId), await listUserTopics(userId)]).toEqual([[], []]);
  expect((await readShortList(navigationViewsKey(userId))).entries).toEqual([]);
  expect([await listBotEntries(botId), await readBotStorageUsage(botId)]).toMatchObject([[], { entries: 0, bytes: 0 }]);
  expect(await findLastPayload(botId)).toBeUndefined();
  expect(JSON.stringify(await findBot(botId))).not.toMatch(/bank|a-ring|casket/);
});
