import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { batchesOf, mapInBatches } from "../../base/batches.ts";
import { nameKey } from "../../base/name-key.ts";
import { effectiveSettings, type RealmSettings } from "../../base/schema/organization-settings.ts";
import { botTypes, roles } from "../../base/schema/roles.ts";
import { systemGroups } from "../../base/schema/system-groups.ts";
import { nowSeconds } from "../../base/time.ts";
import { defaultPermissions, newSubscription } from "../../core/channels/defaults.ts";
import { defaultGroupSettings } from "../../core/user-groups/defaults.ts";
import { renderText } from "../../messaging/messages/render/render.ts";
import type { Caller } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import { systemBots } from "../../services/organization/system-bots.ts";
import { createChannel } from "../../store/channels/channels.ts";
import { createSubscription } from "../../store/channels/subscriptions.ts";
import { createGroup } from "../../store/organization/groups.ts";
import { isImporting } from "../../store/organization/import.ts";
import { createOrganizationItem, findOrganization } from "../../store/organization/organization.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";
import { setCounter } from "../../store/table/counters.ts";
import { transact } from "../../store/table/transactions.ts";
import type { Write } from "../../store/table/writes.ts";
import { findUsersByName } from "../../store/users/users.ts";
import { createConversations, readMarksOf } from "./conversations.ts";
import { emojiWrites } from "./emoji.ts";
import { type Member, memberWrites, systemGroupWrites } from "./members.ts";
import { botTypesInFile, type OrganizationFile, OrganizationFileError } from "./organization-file.ts";

const writesPerTransaction = 50;

/**
 * Creates the organization unless it exists, with IDs in the file's order. The organization's own item is written last, so that
 * an interrupted creation is repeated. Image paths are relative to `folder`. Calls `report` with the number of items and
 * messages written so far, and with their total. Returns false if the organization exists.
 */
export async function createOrganization(
  file: OrganizationFile,
  environment: NodeJS.ProcessEnv,
  folder: string,
  report: (writtenCount: number, total: number) => void = () => {},
): Promise<boolean> {
  if (await findOrganization()) return false;
  if (await isImporting())
    throw new OrganizationFileError(
      "an import has begun here and is not finished: repeat npm run import with the same archive, or give it up with --give-up",
    );
  const now = nowSeconds();
  const members = membersOf(file, environment);
  const organization = {
    uuid: randomUUID(),
    name: file.name,
    stringId: file.string_id,
    createdAt: now,
    settings: file.settings as Partial<RealmSettings>,
    usersVersion: 1,
    notificationBotId: members.find(({ isSystemBot }) => isSystemBot)?.id as number,
    ownerIds: new Set(members.filter(({ role }) => role === roles.owner).map(({ id }) => id)),
  };
  const realm = { ...organization, settings: effectiveSettings(organization.settings) };
  const idOf = new Map(members.map(({ email, id }) => [email.toLowerCase(), id]));
  const idsOf = (emails: readonly string[]) => emails.map((email) => idOf.get(email.toLowerCase()) as number);
  const groups = file.user_groups.map((group, index) => ({
    ...group,
    id: systemGroups.length + 1 + index,
    members: new Set(idsOf(group.members)),
  }));
  const writes = [
    ...systemGroupWrites(),
    ...groups.flatMap(({ id, name, description, members: groupMembers }) =>
      createGroup({
        id,
        name,
        description,
        createdAt: now,
        creatorId: null,
        ...(groupMembers.size > 0 && { members: groupMembers }),
        subgroupIds: [],
        isSystem: false,
        deactivated: false,
        settings: defaultGroupSettings(null),
      }),
    ),
    ...(
      await Promise.all(
        members.map((member) =>
          memberWrites(
            member,
            groups.filter((group) => group.members.has(member.id)).map(({ id }) => id),
            now,
          ),
        ),
      )
    ).flat(),
    ...(await channelWrites(file, members, idsOf, realm)),
    ...(await emojiWrites(file, folder)),
    setCounter("emoji", file.emoji.length),
    setCounter("user", members.length),
    setCounter("group", systemGroups.length + groups.length),
    setCounter("channel", file.channels.length),
    setCounter("recipient", file.channels.length),
  ];
  const total = writes.length + file.conversations.reduce((sum, { messages }) => sum + messages.length, 0);
  // Without their conditions, the writes overwrite those of an interrupted attempt.
  let done = 0;
  for (const batch of batchesOf(writes, writesPerTransaction)) {
    await transact(batch.map((write) => ({ ...write, when: undefined }) as Write));
    done += batch.length;
    report(done, total);
  }
  if (file.conversations.length > 0) await untilFoundByName(members);
  // The log does not name what was written above, so other reads may miss it.
  await withConsistentReads(() =>
    createHistory(file, members, groups, realm, (messageCount) => report(writes.length + messageCount, total)),
  );
  await transact([createOrganizationItem(organization)]);
  return true;
}

/** Waits until the index of names, which follows the table a moment later, has everybody whom a message may mention. */
async function untilFoundByName(members: readonly Member[]): Promise<void> {
  const deadline = Date.now() + 10_000;
  await mapInBatches(members, 25, async ({ id, fullName }) => {
    while (!(await findUsersByName(fullName, members.length)).some((user) => user.id === id) && Date.now() < deadline)
      await pause(50);
  });
}

async function createHistory(
  { conversations, channels }: OrganizationFile,
  members: Member[],
  groups: { id: number; members: Set<number> }[],
  realm: Realm,
  onMessages: (messageCount: number) => void,
): Promise<void> {
  const callers = members.map(
    ({ id, email, role, botType }): Caller => ({
      ...{ id, email, role, botType },
      joinedAt: realm.createdAt,
      groupIds: new Set(groups.filter((group) => group.members.has(id)).map((group) => group.id)),
    }),
  );
  const now = new Date(realm.createdAt * 1000);
  await createConversations(
    conversations,
    {
      realm,
      members: new Map(callers.map((caller) => [caller.email.toLowerCase(), caller])),
      channelIds: new Map(channels.map(({ name }, index) => [nameKey(name.trim()), index + 1])),
    },
    now,
    onMessages,
  );
  for (const [userId, marks] of readMarksOf(conversations, callers, now)) {
    const writes = marks.writes(userId).map((write) => ({ ...write, when: undefined }) as Write);
    if (writes.length > 0) await transact(writes);
  }
}

function membersOf(file: OrganizationFile, environment: NodeJS.ProcessEnv): Member[] {
  const people = file.users.map((user, index) => ({
    id: index + 1,
    email: user.email.trim(),
    fullName: user.full_name.trim(),
    role: roles[user.role],
    status: user.status,
    password: user.password_env === undefined ? user.password : environmentValue(environment, user.password_env, index),
  }));
  const ownerId = (email: string) =>
    people.find((user) => user.email.toLowerCase() === email.trim().toLowerCase())?.id as number;
  const bots = file.bots.map((bot, index) => ({
    id: people.length + 1 + index,
    email: bot.email.trim(),
    fullName: bot.full_name.trim(),
    role: roles.member,
    botType: botTypesInFile[bot.type],
    ownerId: ownerId(bot.owner),
    serviceUrl: bot.service_url,
    token: bot.token,
  }));
  const system = systemBots.map((bot, index) => ({
    ...bot,
    id: people.length + bots.length + 1 + index,
    role: roles.member,
    botType: botTypes.generic,
    isSystemBot: true as const,
  }));
  return [...people, ...bots, ...system];
}

function environmentValue(environment: NodeJS.ProcessEnv, name: string, index: number): string {
  const value = environment[name];
  if (!value)
    throw new OrganizationFileError(`users[${index}].password_env: the environment variable ${name} is not set`);
  return value;
}

async function channelWrites(
  file: OrganizationFile,
  members: Member[],
  idsOf: (emails: readonly string[]) => number[],
  realm: Realm,
): Promise<Write[]> {
  const everyoneButGuests = members.filter((member) => member.botType === undefined && member.role !== roles.guest);
  const writes = file.channels.map(async (channel, index) => {
    const id = index + 1;
    const namedIds = channel.subscribers && idsOf(channel.subscribers);
    const subscriberIds = namedIds ?? (channel.is_default_stream ? everyoneButGuests.map((member) => member.id) : []);
    return [
      ...createChannel(
        {
          id,
          version: 1,
          recipientId: id,
          name: channel.name.trim(),
          description: channel.description,
          renderedDescription: (await renderText(channel.description, realm)).html,
          createdAt: realm.createdAt,
          creatorId: null,
          inviteOnly: channel.invite_only,
          isWebPublic: channel.is_web_public,
          historyPublicToSubscribers: channel.history_public_to_subscribers ?? !channel.invite_only,
          messageRetentionDays: null,
          topicsPolicy: "inherit",
          isDefault: channel.is_default_stream,
          isArchived: false,
          folderId: null,
          permissions: defaultPermissions(null),
        },
        { subscriberCount: subscriberIds.length },
      ),
      ...subscriberIds.map((userId) => createSubscription(newSubscription(userId, id, 1))),
    ];
  });
  return (await Promise.all(writes)).flat();
}
