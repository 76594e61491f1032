import { maxAddressLength, placeholderDomain } from "../../../base/limits.ts";
import { type BotType, botTypes, type Role, roleNumbers, roles } from "../../../base/schema/roles.ts";
import { toAllowedName } from "../../../core/users/names.ts";
import { systemBotEmails, systemBots } from "../../../services/organization/system-bots.ts";
import type { Member } from "../../bootstrap/members.ts";
import { ArchiveError } from "../archive.ts";
import { isTimezone } from "../names.ts";
import { isReachableOwner, type OwnerOptions } from "../plan.ts";
import { withOwner } from "../replaced.ts";
import type { ImportReport } from "../report.ts";
import type { ZulipExport, ZulipUser } from "./format.ts";

/** The people and bots of an export, in the order of their IDs, and the IDs that they get. */
export class ZulipPeople {
  readonly members: Member[] = [];
  /** By IDs in the archive; the bots of Zulip's server become those of this one. */
  readonly #ids = new Map<number, number>();
  readonly #emails = new Set<string>();
  readonly #report: ImportReport;

  constructor({ tables }: ZulipExport, { ownerEmail, owner: replaced }: OwnerOptions, report: ImportReport) {
    this.#report = report;
    const users = [...new Map(tables.zerver_userprofile.map((user) => [user.id, user])).values()].sort(
      (a, b) => a.id - b.id,
    );
    if (users.length === 0)
      throw new ArchiveError(`realm.json has no users (zerver_userprofile)${report.missingOf("zerver_userprofile")}`);
    const owner = users.find((user) => user.role === roles.owner && isPerson(user) && user.is_active);
    for (const [index, user] of users.entries()) this.#ids.set(user.id, index + 1);
    for (const user of users) {
      // Zulip's API shows placeholders such as user12@… for addresses that others may not see.
      const known = user.delivery_email || (user.email.startsWith(`user${user.id}@`) ? "" : user.email);
      const address = user === owner && ownerEmail !== undefined ? ownerEmail : known;
      this.members.push(this.#memberOf(user, address.trim(), owner));
    }
    withOwner(this.members, replaced);
    for (const { id, email } of tables.zerver_userprofile_crossrealm) {
      const index = systemBots.findIndex((bot) => bot.email === email.toLowerCase());
      if (index >= 0 && !this.#ids.has(id)) this.#ids.set(id, this.members.length + 1 + index);
    }
    if (!this.members.some(isReachableOwner))
      throw new ArchiveError(
        owner
          ? "No owner in realm.json has an email address, so nobody could sign in: add --owner <the owner's address>"
          : `realm.json has no active owner, so nobody could manage the organization${report.missingOf("zerver_userprofile")}`,
      );
  }

  /** The new ID of a user. */
  idOf(zulipId: number | null | undefined): number | undefined {
    return zulipId == null ? undefined : this.#ids.get(zulipId);
  }

  idsOf = (zulipIds: readonly number[]): number[] => [...new Set(zulipIds.flatMap((one) => this.idOf(one) ?? []))];

  /** A person or bot, unless it is one of the server's. */
  find(zulipId: number): Member | undefined {
    const id = this.#ids.get(zulipId);
    return id === undefined ? undefined : this.members[id - 1];
  }

  addProfile(userId: number, added: NonNullable<Member["profile"]>): void {
    const member = this.members[userId - 1] as Member;
    member.profile = { ...member.profile, ...added };
  }

  #memberOf(user: ZulipUser, address: string, owner: ZulipUser | undefined): Member {
    const isBot = !isPerson(user);
    const deactivated = !user.is_active || user.is_mirror_dummy;
    this.#report.comes(isBot ? "bots" : deactivated ? "deactivated people" : "people");
    if (!(roleNumbers as number[]).includes(user.role))
      this.#report.lacks("people of an unknown role: they become members", 1, user.full_name);
    const fullName = toAllowedName(user.full_name) || `User ${user.id}`;
    if (fullName !== user.full_name.trim())
      this.#report.lacks(
        "people whose names have characters that are not allowed",
        1,
        `${user.full_name} → ${fullName}`,
      );
    const botType = botTypeOf(user);
    const ownerId = botType === undefined ? undefined : (this.idOf(user.bot_owner) ?? this.idOf(owner?.id) ?? 1);
    return {
      ...{ id: this.idOf(user.id) as number, email: this.#emailOf(user, address, deactivated), fullName, deactivated },
      role: (roleNumbers as number[]).includes(user.role) ? (user.role as Role) : roles.member,
      timezone: isTimezone(user.timezone) ? user.timezone : "",
      ...(user.date_joined > 0 && { joinedAt: Math.floor(user.date_joined) }),
      ...(botType !== undefined && { botType }),
      ...(ownerId !== undefined && { ownerId }),
    };
  }

  #emailOf(user: ZulipUser, address: string, deactivated: boolean): string {
    const key = address.toLowerCase();
    const isValid =
      /^[^\s@]+@[^\s@]+$/.test(address) && address.length <= maxAddressLength && !systemBotEmails.has(key);
    // Zulip's own placeholder for those who show their address to nobody.
    if (isValid && !this.#emails.has(key) && !key.startsWith("exported-user-")) {
      this.#emails.add(key);
      return address;
    }
    if (!deactivated)
      this.#report.lacks(
        isValid && this.#emails.has(key)
          ? "people with another's address: they get a placeholder"
          : "people without an address: they get a placeholder",
        1,
        user.full_name,
      );
    return `zulip-${user.id}@${placeholderDomain}`;
  }
}

const isPerson = (user: ZulipUser) => !user.is_bot;

const botTypeOf = ({ is_bot, bot_type = botTypes.generic }: ZulipUser): BotType | undefined =>
  is_bot ? (Object.values(botTypes).find((type) => type === bot_type) ?? botTypes.generic) : undefined;
