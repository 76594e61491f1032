import type { BotType, roles } from "../../base/schema/roles.ts";
import { systemGroups, systemSubgroups } from "../../base/schema/system-groups.ts";
import { loadEmojiTable } from "../../core/emoji/names.ts";
import { systemGroupSettings } from "../../core/user-groups/defaults.ts";
import { hashPassword } from "../../core/users/passwords.ts";
import { newApiKey } from "../../services/identity/api-keys.ts";
import { createGroup } from "../../store/organization/groups.ts";
import { createSecondFactor, type SecondFactor } from "../../store/second-factors/second-factors.ts";
import type { Write } from "../../store/table/writes.ts";
import { type Account, createAccount } from "../../store/users/accounts.ts";
import { putBotKey } from "../../store/users/bot-keys.ts";
import { type Bot, createBot } from "../../store/users/bots.ts";
import { createIdentity } from "../../store/users/identities.ts";
import { updateUserStatus } from "../../store/users/user-status.ts";
import { createUser, type User } from "../../store/users/users.ts";
import { newBot } from "../bots/defaults.ts";
import { type OrganizationFile, OrganizationFileError } from "./organization-file.ts";

/** The groups, people and bots of a new organization. */

/** A person or bot, with the ID that follows from their position in the file or archive. */
export interface Member {
  id: number;
  email: string;
  fullName: string;
  role: (typeof roles)[keyof typeof roles];
  botType?: BotType;
  ownerId?: number;
  isSystemBot?: true;
  /** Only outgoing webhook bots have one. */
  serviceUrl?: string | undefined;
  token?: string | undefined;
  password?: string | undefined;
  status?: OrganizationFile["users"][number]["status"];
  /** Only of a person or bot that was deactivated elsewhere. */
  deactivated?: boolean;
  timezone?: string;
  /** UNIX seconds, of those who joined elsewhere. */
  joinedAt?: number;
  /** What else is known of the profile or bot of somebody from elsewhere. */
  profile?: Partial<User>;
  bot?: Partial<Bot>;
  /** How somebody signs in who has signed in before. */
  account?: Pick<Account, "passwordHash" | "identity" | "secondFactor">;
  secondFactor?: SecondFactor | undefined;
}

/** The groups that every organization has. */
export const systemGroupWrites = (): Write[] =>
  systemGroups.flatMap(({ id, name, description }) =>
    createGroup({
      id,
      name,
      description,
      createdAt: null,
      creatorId: null,
      subgroupIds: systemSubgroups(id),
      isSystem: true,
      deactivated: false,
      settings: systemGroupSettings,
    }),
  );

export async function memberWrites(member: Member, groupIds: number[], now: number): Promise<Write[]> {
  const { id, email, fullName, role, botType, ownerId, isSystemBot, password, status, timezone = "" } = member;
  const active = !member.deactivated;
  const joinedAt = member.joinedAt ?? now;
  const { keySalt, keyHash } = await newApiKey();
  const bot = botType === undefined ? {} : { botType };
  return [
    ...(status ? [await statusWrite(id, status)] : []),
    ...(ownerId === undefined
      ? []
      : [createBot({ ...newBot(id, ownerId, fullName, member), ...member.bot }), putBotKey({ keyHash, email })]),
    ...(member.account?.identity === undefined ? [] : [createIdentity(member.account.identity, id)]),
    ...(member.secondFactor ? [createSecondFactor({ ...member.secondFactor, userId: id })] : []),
    createUser({
      id,
      email,
      fullName,
      role,
      active,
      joinedAt,
      timezone,
      avatarSource: "G",
      avatarVersion: 1,
      ...member.profile,
      ...bot,
      ...(ownerId !== undefined && { ownerId }),
      ...(isSystemBot && { isSystemBot }),
    }),
    createAccount({
      userId: id,
      email,
      keyHash,
      keySalt,
      ...(password !== undefined && { passwordHash: await hashPassword(password) }),
      ...member.account,
      role,
      active,
      joinedAt,
      ...bot,
      ...(groupIds.length > 0 && { groupIds: new Set(groupIds) }),
    }),
  ];
}

async function statusWrite(userId: number, { emoji, text }: NonNullable<Member["status"]>): Promise<Write> {
  const code = emoji === undefined ? undefined : (await loadEmojiTable()).codeOf(emoji);
  if (emoji !== undefined && code === undefined)
    throw new OrganizationFileError(`users[${userId - 1}].status.emoji: there is no emoji ${emoji}`);
  return updateUserStatus(userId, {
    set: { text, ...(emoji !== undefined && { emojiName: emoji, emojiCode: code, emojiType: "unicode_emoji" }) },
  });
}
