import { limits } from "../../../base/limits.ts";
import { truncate } from "../../../base/schema/text.ts";
import { defaultPermissions } from "../../../core/channels/defaults.ts";
import type { Channel, ChannelPermissions } from "../../../store/channels/channels.ts";
import type { Period, Subscription } from "../../../store/channels/subscriptions.ts";
import { topicsPolicyNumbers, wordOf } from "../../exports/zulip-numbers.ts";
import { allowedName, UniqueNames } from "../names.ts";
import type { PlannedChannel } from "../plan.ts";
import type { ImportReport } from "../report.ts";
import type { ZulipChannel, ZulipExport } from "./format.ts";
import type { ZulipGroups } from "./groups.ts";
import type { ZulipPeople } from "./people.ts";

/** Zulip's numbers of what has messages. */
export const recipientTypes = { user: 1, channel: 2, group: 3 } as const;

/** The days for which a channel keeps messages, or -1 for ever; null, the organization's, for anything else. */
const retentionOf = (days: number | undefined) => (days !== undefined && (days > 0 || days === -1) ? days : null);

/** The channels of an export, in the order of their IDs, and who subscribes to them. */
export class ZulipChannels {
  readonly channels: PlannedChannel[] = [];
  readonly #ids = new Map<number, number>();
  readonly #archive: ZulipExport;
  readonly #people: ZulipPeople;
  readonly #report: ImportReport;

  constructor(
    archive: ZulipExport,
    people: ZulipPeople,
    groups: ZulipGroups,
    folderIdOf: (zulipId: number | undefined) => number | null,
    now: number,
    report: ImportReport,
  ) {
    this.#archive = archive;
    this.#people = people;
    this.#report = report;
    const { zerver_stream, zerver_defaultstream } = archive.tables;
    const defaults = new Set(zerver_defaultstream.map(({ stream }) => stream));
    const rows = [...new Map(zerver_stream.map((row) => [row.id, row])).values()].sort((a, b) => a.id - b.id);
    const names = new UniqueNames();
    for (const [index, row] of rows.entries()) {
      const id = index + 1;
      this.#ids.set(row.id, id);
      const creator = people.find(row.creator ?? 0);
      const channel: Channel = {
        ...{ id, version: 1, recipientId: id, name: this.#nameOf(row, names) },
        description: truncate(
          row.description.replace(/\s+/g, " ").toWellFormed().trim(),
          limits.channelDescriptionLength,
          "…",
        ),
        renderedDescription: "",
        createdAt: row.date_created > 0 ? Math.floor(row.date_created) : now,
        creatorId: people.idOf(row.creator) ?? null,
        ...{ inviteOnly: row.invite_only, isWebPublic: row.is_web_public && !row.invite_only },
        historyPublicToSubscribers: row.history_public_to_subscribers || !row.invite_only,
        messageRetentionDays: retentionOf(row.message_retention_days),
        topicsPolicy: wordOf(topicsPolicyNumbers, row.topics_policy) ?? "inherit",
        isDefault: defaults.has(row.id) && !row.invite_only && !row.deactivated,
        isArchived: row.deactivated,
        folderId: folderIdOf(row.folder),
        permissions: permissionsOf(row, groups, creator && !creator.deactivated ? creator.id : null),
      };
      this.channels.push({ channel, stats: { subscriberCount: 0 }, subscriptions: [] });
      report.comes(row.deactivated ? "archived channels" : row.invite_only ? "private channels" : "channels");
    }
  }

  idOf(zulipId: number | undefined): number | undefined {
    return zulipId === undefined ? undefined : this.#ids.get(zulipId);
  }

  /**
   * Adds the subscriptions. `firstIdAfter` gets a message's ID in the archive, and returns that of the first message after it
   * here, on which it depends what people have received and, where the history is protected, what they may read.
   */
  subscribe(firstIdAfter: (zulipMessageId: number) => number): void {
    const { tables, subscriptionTimes } = this.#archive;
    const zulipIds = new Map(
      tables.zerver_recipient.flatMap(({ id, type, type_id }) =>
        type === recipientTypes.channel ? [[id, type_id] as const] : [],
      ),
    );
    const known = new Set<string>();
    for (const row of tables.zerver_subscription) {
      const zulipChannelId = zulipIds.get(row.recipient);
      const channelId = this.idOf(zulipChannelId);
      if (channelId === undefined) continue;
      const member = this.#people.find(row.user_profile);
      if (!member) {
        this.#report.lacks("subscriptions of people who are not in the export");
        continue;
      }
      if (known.has(`${member.id}|${channelId}`)) continue;
      known.add(`${member.id}|${channelId}`);
      const planned = this.channels[channelId - 1] as PlannedChannel;
      // As here, those who are deactivated get their subscriptions back when they are reactivated.
      if (row.active && member.deactivated) {
        const suspended = member.profile?.suspendedChannelIds ?? new Set<number>();
        member.profile = { ...member.profile, suspendedChannelIds: suspended.add(channelId) };
      }
      const active = row.active && !member.deactivated;
      const times = subscriptionTimes.get(`${row.user_profile}|${zulipChannelId}`);
      const isProtected = !planned.channel.historyPublicToSubscribers;
      if (isProtected && !times)
        this.#report.lacks(
          "subscriptions to channels with protected history of which the export does not say since when: only new messages can be read",
        );
      const periods: Period[] = times
        ? periodsOf(times, active, firstIdAfter)
        : active
          ? [[isProtected ? firstIdAfter(Number.MAX_SAFE_INTEGER) : 1]]
          : [];
      const subscription: Subscription = {
        ...{ userId: member.id, channelId, active, periods, pinToTop: row.pin_to_top },
        color: /^#[0-9a-f]{6}$/i.test(row.color) ? row.color.toLowerCase() : "#c2c2c2",
        isMuted: row.is_muted === true,
        ...{ desktopNotifications: row.desktop_notifications, audibleNotifications: row.audible_notifications },
        ...{ pushNotifications: row.push_notifications, emailNotifications: row.email_notifications },
        wildcardMentionsNotify: row.wildcard_mentions_notify,
      };
      planned.subscriptions.push(subscription);
      if (active) {
        planned.stats.subscriberCount++;
        this.#report.comes("subscriptions");
      }
    }
  }

  #nameOf({ name, id, deactivated }: ZulipChannel, names: UniqueNames): string {
    // Zulip once renamed channels that it archived.
    const plain = deactivated ? name.replace(/^!*DEACTIVATED:/, "") : name;
    const clean = allowedName(plain) || `channel ${id}`;
    const unique = names.take(clean, limits.channelNameLength);
    if (unique !== plain.trim()) this.#report.lacks("channels under another name", 1, `${name || id} → ${unique}`);
    return unique;
  }
}

function permissionsOf(row: ZulipChannel, groups: ZulipGroups, creatorId: number | null): ChannelPermissions {
  const defaults = defaultPermissions(creatorId);
  return Object.fromEntries(
    Object.entries(defaults).map(([name, fallback]) => [name, groups.settingOf(row[name]) ?? fallback]),
  ) as unknown as ChannelPermissions;
}

/** The periods of a subscription, from the log of when it began and ended. */
function periodsOf(
  times: readonly { active: boolean; after: number }[],
  active: boolean,
  firstIdAfter: (zulipMessageId: number) => number,
): Period[] {
  const periods: Period[] = [];
  let from: number | undefined;
  const end = (to: number) => {
    if (from !== undefined && from < to) periods.push([from, to]);
    from = undefined;
  };
  for (const { active: begins, after } of times) {
    if (!begins) end(firstIdAfter(after));
    else from ??= firstIdAfter(after);
  }
  if (!active) end(firstIdAfter(Number.MAX_SAFE_INTEGER));
  else periods.push([from ?? firstIdAfter(Number.MAX_SAFE_INTEGER)]);
  return periods;
}
