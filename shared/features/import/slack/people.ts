import { maxAddressLength, placeholderDomain } from "../../../base/limits.ts";
import { botTypes, roles } from "../../../base/schema/roles.ts";
import { toAllowedName } from "../../../core/users/names.ts";
import { systemBotEmails } from "../../../services/organization/system-bots.ts";
import type { Member } from "../../bootstrap/members.ts";
import { ArchiveError } from "../archive.ts";
import { isTimezone } from "../names.ts";
import { isReachableOwner, type OwnerOptions } from "../plan.ts";
import { withOwner } from "../replaced.ts";
import type { ImportReport } from "../report.ts";
import type { SlackMessage, SlackUser } from "./format.ts";

/** The people and bots of a Slack export, by Slack's IDs of users and of bots. */
export class SlackPeople {
  readonly members: Member[] = [];
  readonly #byId = new Map<string, Member>();
  readonly #emails = new Set<string>();
  readonly #report: ImportReport;
  /** The names of bots by their IDs, from what Slack said when they were added. */
  readonly #botNames = new Map<string, string>();
  /** Who owns the bots. */
  readonly #ownerId: number;

  constructor(users: readonly SlackUser[], { ownerEmail, owner }: OwnerOptions, report: ImportReport) {
    this.#report = report;
    const primaryOwner =
      users.find((user) => user.is_primary_owner) ?? users.find((user) => user.is_owner && !user.deleted);
    this.#ownerId = primaryOwner ? users.indexOf(primaryOwner) + 1 : 1;
    for (const user of users) {
      const address = user === primaryOwner && ownerEmail !== undefined ? ownerEmail : user.profile?.email;
      this.#add(user, address);
    }
    withOwner(this.members, owner);
    if (!this.members.some(isReachableOwner))
      throw new ArchiveError(
        primaryOwner
          ? "No owner in users.json has an email address, so nobody could sign in: add --owner <the primary owner's address>"
          : `users.json has no owner, so nobody could manage the organization${report.missingOf("users.json")}`,
      );
  }

  find(slackId: string): Member | undefined {
    return this.#byId.get(slackId);
  }

  /** The person or bot with an ID; one who is not in `users.json`, for example of another workspace, becomes a deactivated one. */
  findOrAdd(slackId: string, name: string, isBot = false): Member {
    const known = this.#byId.get(slackId);
    if (known) return known;
    this.#report.comes(
      isBot ? "bots that only their messages name" : "people who only their messages name, deactivated",
    );
    const [id, fullName] = [this.members.length + 1, toAllowedName(name) || slackId];
    const member: Member = {
      ...{ id, fullName, email: placeholderOf(slackId), role: roles.member, deactivated: true },
      ...(isBot && { botType: botTypes.generic, ownerId: this.#ownerId }),
    };
    this.members.push(member);
    this.#byId.set(slackId, member);
    return member;
  }

  /** Notes a bot's name from the notice `added an integration to this channel: <https://…/services/B0AA|GitHub>`. */
  nameBot({ bot_id, text }: SlackMessage): void {
    const [, name = ""] = /<https?:[^|>]*\|([^>]*)>/.exec(text) ?? [];
    if (bot_id !== "" && name.trim() !== "") this.#botNames.set(bot_id, name.trim());
  }

  /** Who sent a message; undefined when it does not say. */
  authorOf(message: SlackMessage): Member | undefined {
    const userId = message.user || message.comment?.user || message.file?.user;
    if (userId) {
      const { real_name, display_name, name } = message.user_profile ?? {};
      return this.findOrAdd(userId, real_name || display_name || name || (userId === "USLACKBOT" ? "Slackbot" : ""));
    }
    return message.bot_id ? this.findOrAdd(message.bot_id, this.#botNameOf(message), true) : undefined;
  }

  #botNameOf = ({ username, bot_profile, bot_id }: SlackMessage) =>
    username || bot_profile?.name || this.#botNames.get(bot_id) || "";

  #add(user: SlackUser, address = ""): void {
    const id = this.members.length + 1;
    const isBot = user.is_bot || user.id === "USLACKBOT";
    const email = isBot ? placeholderOf(user.id) : this.#emailOf(user, address.trim());
    const member: Member = {
      ...{ id, email, deactivated: user.deleted },
      fullName: toAllowedName(user.real_name || user.profile?.real_name || user.name) || user.id,
      role: isBot ? roles.member : roleOf(user),
      timezone: isTimezone(user.tz) ? user.tz : "",
      ...(isBot && { botType: botTypes.generic, ownerId: this.#ownerId }),
    };
    this.members.push(member);
    this.#byId.set(user.id, member);
    if (isBot && user.profile?.bot_id) this.#byId.set(user.profile.bot_id, member);
    if (user.profile?.title || user.profile?.phone || user.profile?.status_text)
      this.#report.lacks("titles, telephone numbers and statuses of people");
    this.#report.comes(isBot ? "bots" : user.deleted ? "deactivated people" : "people");
  }

  #emailOf(user: SlackUser, address: string): string {
    const key = address.toLowerCase();
    const isValid =
      /^[^\s@]+@[^\s@]+$/.test(address) && address.length <= maxAddressLength && !systemBotEmails.has(key);
    if (isValid && !this.#emails.has(key)) {
      this.#emails.add(key);
      return address;
    }
    if (!user.deleted)
      this.#report.lacks(
        isValid
          ? "people with another's address: they get a placeholder"
          : "people without an address: they get a placeholder",
        1,
        user.name || user.id,
      );
    return placeholderOf(user.id);
  }
}

/** An address that never receives mail. An administrator can replace it. */
const placeholderOf = (slackId: string) => `slack-${slackId.toLowerCase()}@${placeholderDomain}`;

const roleOf = (user: SlackUser) =>
  user.is_restricted || user.is_ultra_restricted
    ? roles.guest
    : user.is_primary_owner || user.is_owner
      ? roles.owner
      : user.is_admin
        ? roles.administrator
        : roles.member;
