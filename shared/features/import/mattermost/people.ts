import { maxAddressLength, placeholderDomain } from "../../../base/limits.ts";
import { botTypes, roles } from "../../../base/schema/roles.ts";
import { toAllowedName } from "../../../core/users/names.ts";
import { systemBotEmails } from "../../../services/organization/system-bots.ts";
import type { Member } from "../../bootstrap/members.ts";
import { ArchiveError } from "../archive.ts";
import { isReachableOwner, type OwnerOptions } from "../plan.ts";
import { withOwner } from "../replaced.ts";
import type { ImportReport } from "../report.ts";
import type { MattermostBot, MattermostExport, MattermostUser } from "./format.ts";

/** The people and bots of an export, by their names in Mattermost. */
export class MattermostPeople {
  readonly members: Member[] = [];
  readonly #byName = new Map<string, Member>();
  /** By the names under which webhooks have written. */
  readonly #webhooks = new Map<string, Member>();
  readonly #emails = new Set<string>();
  readonly #report: ImportReport;
  /** What placeholder addresses begin with. */
  readonly #addressPrefix: string;
  /** Who owns the bots whose owner is not in the export. */
  readonly #ownerId: number;

  constructor(
    { users, bots, teams, dialect: { product, peopleFile } }: MattermostExport,
    { ownerEmail, owner }: OwnerOptions,
    report: ImportReport,
  ) {
    this.#report = report;
    this.#addressPrefix = product.toLowerCase().replace(/[^a-z]/g, "");
    const listed = new Set(bots.map(({ username }) => username));
    // Exports without lines of bots have these among the people.
    const isBot = ({ username, email }: MattermostUser) => listed.has(username) || email === `${username}@localhost`;
    const people = users.filter((user) => !isBot(user));
    const isNamed = ({ email }: MattermostUser) => email.trim().toLowerCase() === ownerEmail?.trim().toLowerCase();
    const primaryOwner = people.find(isNamed) ?? people.find((user) => isSystemAdmin(user) && user.delete_at === 0);
    this.#ownerId = primaryOwner ? people.indexOf(primaryOwner) + 1 : 1;
    for (const user of people) {
      const isPrimary = user === primaryOwner;
      const address = isPrimary && ownerEmail !== undefined ? ownerEmail : user.email;
      const role = isPrimary ? roles.owner : roleOf(user, teams.length === 1);
      this.#add(user.username, {
        ...{ email: this.#emailOf(user, address.trim()), fullName: nameOf(user), role },
        deactivated: user.delete_at > 0,
      });
      if (user.position !== "" || user.custom_status?.text)
        report.lacks("positions and statuses of people", 1, user.username);
      report.comes(user.delete_at > 0 ? "deactivated people" : "people");
    }
    withOwner(this.members, owner);
    if (!this.members.some(isReachableOwner))
      throw new ArchiveError(
        `${peopleFile} has no system administrator with an email address, so nobody could manage the organization: name one of its people with --owner <address>${report.missingOf(peopleFile)}`,
      );
    for (const bot of bots) this.#addBot(bot);
    for (const user of users.filter((one) => isBot(one) && !listed.has(one.username)))
      this.#addBot({ ...user, owner: "", display_name: nameOf(user) });
  }

  find(name: string): Member | undefined {
    return this.#byName.get(name);
  }

  /** The person or bot with a name; one who is not in the export becomes a deactivated one. */
  findOrAdd(name: string): Member {
    const known = this.#byName.get(name);
    if (known) return known;
    this.#report.comes("people who only their messages name, deactivated");
    return this.#add(name, {
      ...{ email: this.#placeholderOf(name, this.members.length + 1), fullName: toAllowedName(name) },
      ...{ role: roles.member, deactivated: true },
    });
  }

  /** The bot that wrote under a name by a webhook of somebody. */
  webhookOf(name: string, owner: Member): Member {
    const fullName = toAllowedName(name) || toAllowedName(`${owner.fullName} webhook`) || "Webhook";
    const known = this.#webhooks.get(fullName.toLowerCase());
    if (known) return known;
    this.#report.comes("bots for the names of webhooks, deactivated");
    const bot = this.#newMember({
      ...{
        email: this.#placeholderOf("webhook", this.members.length + 1),
        fullName,
        role: roles.member,
        deactivated: true,
      },
      ...{ botType: botTypes.incomingWebhook, ownerId: owner.botType === undefined ? owner.id : this.#ownerId },
    });
    this.#webhooks.set(fullName.toLowerCase(), bot);
    return bot;
  }

  #addBot({
    username,
    owner,
    display_name,
    delete_at,
  }: Pick<MattermostBot, "username" | "owner" | "display_name" | "delete_at">) {
    const ownerMember = this.#byName.get(owner);
    this.#add(username, {
      ...{
        email: this.#placeholderOf(username, this.members.length + 1),
        role: roles.member,
        deactivated: delete_at > 0,
      },
      ...{ fullName: toAllowedName(display_name), botType: botTypes.generic },
      ownerId: ownerMember && ownerMember.botType === undefined ? ownerMember.id : this.#ownerId,
    });
    this.#report.comes("bots");
  }

  #add(name: string, member: Omit<Member, "id">): Member {
    const added = this.#newMember({ ...member, fullName: member.fullName || toAllowedName(name) || "Somebody" });
    this.#byName.set(name, added);
    return added;
  }

  #newMember(member: Omit<Member, "id">): Member {
    const added = { ...member, id: this.members.length + 1 };
    this.members.push(added);
    return added;
  }

  #emailOf(user: MattermostUser, address: string): string {
    const key = address.toLowerCase();
    const isValid =
      /^[^\s@]+@[^\s@]+$/.test(address) && address.length <= maxAddressLength && !systemBotEmails.has(key);
    if (isValid && !this.#emails.has(key)) {
      this.#emails.add(key);
      return address;
    }
    if (user.delete_at === 0)
      this.#report.lacks(
        isValid
          ? "people with another's address: they get a placeholder"
          : "people without an address: they get a placeholder",
        1,
        user.username,
      );
    return this.#placeholderOf(user.username, this.members.length + 1);
  }

  /** An address that never receives mail. An administrator can replace it. Names may have other characters than addresses. */
  #placeholderOf(name: string, id: number): string {
    return `${this.#addressPrefix}-${id}-${name.replace(/[^a-z0-9._-]/g, "").slice(0, 64)}@${placeholderDomain}`;
  }
}

const has = (list: string, role: string) => list.split(/\s+/).includes(role);
const isSystemAdmin = ({ roles: own }: MattermostUser) => has(own, "system_admin");
const isGuest = ({ roles: own }: MattermostUser) => has(own, "system_guest");
export const isTeamAdmin = ({ roles: own }: { roles: string }) => has(own, "team_admin");
export const isChannelAdmin = ({ roles: own }: { roles: string }) => has(own, "channel_admin");

const roleOf = (user: MattermostUser, isOneTeam: boolean) =>
  isGuest(user)
    ? roles.guest
    : isSystemAdmin(user)
      ? roles.owner
      : isOneTeam && user.teams.some(isTeamAdmin)
        ? roles.administrator
        : roles.member;

const nameOf = ({ first_name, last_name, nickname, username }: MattermostUser) =>
  toAllowedName(`${first_name} ${last_name}`.trim()) || toAllowedName(nickname) || toAllowedName(username);
