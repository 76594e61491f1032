import { limits } from "../../../base/limits.ts";
import { nameKey } from "../../../base/name-key.ts";
import type { GroupSetting } from "../../../base/schema/group-setting.ts";
import { roles } from "../../../base/schema/roles.ts";
import { administrators as administratorsGroup, nobody, systemGroups } from "../../../base/schema/system-groups.ts";
import { truncate } from "../../../base/schema/text.ts";
import { defaultPermissions, newSubscription } from "../../../core/channels/defaults.ts";
import { defaultGroupSettings } from "../../../core/user-groups/defaults.ts";
import type { ChannelFolder } from "../../../store/channels/channel-folders.ts";
import type { Subscription } from "../../../store/channels/subscriptions.ts";
import type { Group } from "../../../store/organization/groups.ts";
import { allowedName, UniqueNames } from "../names.ts";
import type { PlannedChannel } from "../plan.ts";
import type { ImportReport } from "../report.ts";
import { channelKey, type MattermostChannel, type MattermostExport, type MattermostTeam } from "./format.ts";
import { isChannelAdmin, isTeamAdmin, type MattermostPeople } from "./people.ts";

/**
 * The channels of all teams. An export may have several teams, which become one organization: then each has a folder and a group of
 * its own, and only the people in that group may find and join what were its public channels.
 */
export class MattermostChannels {
  readonly channels: PlannedChannel[] = [];
  readonly folders: ChannelFolder[] = [];
  readonly groups: Group[] = [];
  readonly #byKey = new Map<string, PlannedChannel>();
  /** The channels with a name, in whichever team. */
  readonly #byName = new Map<string, PlannedChannel[]>();
  readonly #people: MattermostPeople;
  readonly #archive: MattermostExport;
  readonly #report: ImportReport;

  constructor(archive: MattermostExport, people: MattermostPeople, now: number, report: ImportReport) {
    this.#archive = archive;
    this.#people = people;
    this.#report = report;
    const teams = archive.teams;
    const isOneTeam = teams.length <= 1;
    const teamMembers = this.#teamMembers();
    if (!isOneTeam) for (const [index, team] of teams.entries()) this.#addTeam(team, index, teamMembers, now);
    const groupOf = new Map(this.groups.map((group, index) => [teams[index]?.name, group]));
    const known = new Set(teams.map(({ name }) => name));
    const listed = archive.channels.filter((channel) => known.has(channel.team));
    for (const channel of archive.channels.filter((one) => !known.has(one.team)))
      report.lacks("channels of teams that are not in the export", 1, channel.name);
    const names = this.#namesOf(listed);
    const administrators = this.#administrators();
    for (const [index, channel] of listed.entries()) {
      const group = groupOf.get(channel.team);
      const isForAll = isOneTeam || this.#isForAll(teamMembers.get(channel.team));
      // "O" is open. Whatever else there may be is not shown to those who may not see it.
      const isPrivate = channel.type !== "O";
      const isArchived = channel.deleted_at > 0;
      const id = index + 1;
      const writers = {
        direct_members: [...new Set(administrators.get(channelKey(channel)))],
        direct_subgroups: [administratorsGroup],
      };
      const planned: PlannedChannel = {
        channel: {
          ...{
            id,
            version: 1,
            recipientId: id,
            name: names[index] as string,
            description: "",
            renderedDescription: "",
          },
          ...{ createdAt: now, creatorId: null, inviteOnly: isPrivate || !isForAll, isWebPublic: false },
          // In Mattermost, whoever joins a channel reads all of it.
          historyPublicToSubscribers: true,
          messageRetentionDays: null,
          topicsPolicy: "inherit",
          // Everybody in a team is in these.
          isDefault:
            isForAll &&
            !isPrivate &&
            !isArchived &&
            (channel.isDefault ?? ["town-square", "off-topic"].includes(channel.name)),
          isArchived,
          folderId: isOneTeam
            ? this.#folderNamed(channel.folder ?? "", now)
            : teams.findIndex(({ name }) => name === channel.team) + 1,
          permissions: {
            ...defaultPermissions(null),
            can_administer_channel_group: onlyMembers(administrators.get(channelKey(channel))),
            ...(channel.isReadOnly && { can_send_message_group: writers }),
            ...(!isPrivate && !isForAll && group && { can_subscribe_group: group.id }),
          },
        },
        stats: { subscriberCount: 0 },
        subscriptions: [],
      };
      this.channels.push(planned);
      this.#byKey.set(channelKey(channel), planned);
      this.#byName.set(channel.name, [...(this.#byName.get(channel.name) ?? []), planned]);
      report.comes(isPrivate ? "private channels" : isArchived ? "archived channels" : "channels");
      if (!isPrivate && !isForAll) report.comes("of these, channels for the people of one team");
    }
    this.#subscribe();
  }

  find(key: string): PlannedChannel | undefined {
    return this.#byKey.get(key);
  }

  /** The channel that a text means by a name: that of its team, or the only one with this name. */
  meantBy(name: string, team: string | undefined): PlannedChannel | undefined {
    const own = team === undefined ? undefined : this.#byKey.get(channelKey({ team, name }));
    const others = this.#byName.get(name) ?? [];
    return own ?? (others.length === 1 ? others[0] : undefined);
  }

  /** Gives channels their descriptions, which may name any channel and person. */
  describe(markdownOf: (text: string, team: string) => string): void {
    for (const channel of this.#archive.channels) {
      const planned = this.#byKey.get(channelKey(channel));
      if (!planned) continue;
      const texts = [channel.purpose, channel.header].map((text) => text.trim()).filter((text) => text !== "");
      const description = texts.map((text) => markdownOf(text, channel.team).replace(/\s+/g, " ").trim()).join(" – ");
      planned.channel.description = truncate(description.toWellFormed(), limits.channelDescriptionLength, "…");
      if (planned.channel.description !== description)
        this.#report.lacks("purposes and headers of channels that are too long: they are truncated", 1, channel.name);
    }
  }

  /** The people of each team who are not deactivated. */
  #teamMembers(): Map<string, Set<number>> {
    const members = new Map<string, Set<number>>();
    for (const { username, teams } of this.#archive.users)
      for (const { name } of teams) {
        const member = this.#people.find(username);
        if (!member || member.deactivated || member.botType !== undefined) continue;
        members.set(name, (members.get(name) ?? new Set()).add(member.id));
      }
    return members;
  }

  #isForAll(members: ReadonlySet<number> = new Set()): boolean {
    return this.#people.members.every(
      ({ id, deactivated, botType, role }) =>
        deactivated || botType !== undefined || role === roles.guest || members.has(id),
    );
  }

  #addTeam(team: MattermostTeam, index: number, teamMembers: ReadonlyMap<string, Set<number>>, now: number): void {
    const title = allowedName(team.display_name) || allowedName(team.name) || `team ${index + 1}`;
    const members = teamMembers.get(team.name) ?? new Set<number>();
    const description = truncate(team.description.toWellFormed().trim(), limits.channelFolderDescriptionLength, "…");
    const defaults = defaultGroupSettings(null);
    const admins = this.#archive.users
      .filter(({ teams }) => teams.some((one) => one.name === team.name && isTeamAdmin(one)))
      .flatMap(({ username }) => this.#administratorId(username));
    const manager = onlyMembers(admins);
    this.folders.push({
      ...{ id: index + 1, name: this.#folderNames.take(title, limits.channelFolderNameLength), description },
      ...{ renderedDescription: "", order: index, createdAt: now, creatorId: null, isArchived: false },
    });
    this.groups.push({
      id: systemGroups.length + 1 + index,
      name: this.#groupNames.take(title.replace(/^(role:|@)+/, "") || `team ${index + 1}`, limits.groupNameLength),
      description: truncate(description, limits.groupDescriptionLength, "…"),
      createdAt: null,
      creatorId: null,
      ...(members.size > 0 && { members }),
      subgroupIds: [],
      isSystem: false,
      deactivated: false,
      settings: { ...defaults, canAddMembersGroup: manager, canManageGroup: manager },
    });
    this.#report.comes("teams, as a folder and a group each");
  }

  /** The ID of a folder, which is made for its first channel; null for a channel without one. */
  #folderNamed(written: string, now: number): number | null {
    const title = allowedName(written);
    if (title === "") return null;
    const known = this.#folderIds.get(title);
    if (known !== undefined) return known;
    const index = this.folders.length;
    this.folders.push({
      ...{ id: index + 1, name: this.#folderNames.take(title, limits.channelFolderNameLength), description: "" },
      ...{ renderedDescription: "", order: index, createdAt: now, creatorId: null, isArchived: false },
    });
    this.#folderIds.set(title, index + 1);
    this.#report.comes("folders of channels");
    return index + 1;
  }

  readonly #folderIds = new Map<string, number>();
  readonly #folderNames = new UniqueNames();
  readonly #groupNames = new UniqueNames(systemGroups.map(({ name }) => name));

  /** Names that differ: channels of several teams that have the same name get that of their team too. */
  #namesOf(channels: readonly MattermostChannel[]): string[] {
    const titles = channels.map(({ display_name, name }) => cleanName(display_name) || cleanName(name) || "channel");
    const counts = new Map<string, number>();
    for (const title of titles) counts.set(nameKey(title), (counts.get(nameKey(title)) ?? 0) + 1);
    const teamTitles = new Map(
      this.#archive.teams.map(({ name, display_name }) => [name, cleanName(display_name) || cleanName(name)]),
    );
    const names = new UniqueNames();
    return channels.map(({ team, name, display_name }, index) => {
      const title = titles[index] as string;
      const isAmbiguous = teamTitles.size > 1 && (counts.get(nameKey(title)) ?? 0) > 1;
      const unique = names.take(isAmbiguous ? `${title} (${teamTitles.get(team)})` : title, limits.channelNameLength);
      if (unique !== (display_name || name).trim())
        this.#report.lacks("channels under another name", 1, `${display_name || name} → ${unique}`);
      return unique;
    });
  }

  #administrators(): Map<string, number[]> {
    const found = new Map<string, number[]>();
    for (const { username, teams } of this.#archive.users)
      for (const { name: team, channels } of teams)
        for (const membership of channels.filter(isChannelAdmin)) {
          const key = channelKey({ team, name: membership.name });
          found.set(key, [...(found.get(key) ?? []), ...this.#administratorId(username)]);
        }
    return found;
  }

  /** Nobody else can use such a permission. */
  #administratorId(username: string): number[] {
    const member = this.#people.find(username);
    const may = member && !member.deactivated && member.botType === undefined && member.role !== roles.guest;
    return may ? [member.id] : [];
  }

  #subscribe(): void {
    for (const { username, teams } of this.#archive.users) {
      const member = this.#people.find(username);
      const known = new Set<number>();
      for (const { name: team, channels } of teams)
        for (const { name, favorite, notify_props } of channels) {
          const planned = this.#byKey.get(channelKey({ team, name }));
          if (!member || !planned) {
            this.#report.lacks("memberships in channels that are not in the export", 1, name);
            continue;
          }
          // As Mattermost lists them, nobody is twice in a channel.
          if (member.deactivated || known.has(planned.channel.id)) continue;
          known.add(planned.channel.id);
          const subscription: Subscription = {
            ...newSubscription(member.id, planned.channel.id, 1),
            ...{ pinToTop: favorite, isMuted: notify_props?.mark_unread === "mention" },
          };
          planned.subscriptions.push(subscription);
          planned.stats.subscriberCount++;
          this.#report.comes("subscriptions");
        }
    }
  }
}

const cleanName = (name: string): string => allowedName(name.replace(/[*>@]/g, ""));

const onlyMembers = (ids: readonly number[] = []): GroupSetting =>
  ids.length === 0 ? nobody : { direct_members: [...new Set(ids)], direct_subgroups: [] };
