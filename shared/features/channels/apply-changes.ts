import { channelAlreadyExists } from "../../base/errors.ts";
import type { OmitEach } from "../../base/schema/event-types.ts";
import { visibilityOf } from "../../core/channels/channel-events.ts";
import type { LoggedStreamUpdate } from "../../core/channels/event-types.ts";
import { visibilityPermissionNames } from "../../core/channels/params.ts";
import { postPolicy } from "../../core/channels/wire.ts";
import { defaultStreamsChangedEvent } from "../../core/default-streams/default-streams.ts";
import { plainName } from "../../core/markdown/source/plain.ts";
import { silentMention } from "../../core/markdown/source/references.ts";
import type { OutgoingMessage } from "../../messaging/messages/send/actions.ts";
import { planNotices } from "../../messaging/messages/send/notices.ts";
import type { Realm } from "../../services/organization/access.ts";
import {
  type Channel,
  channelPermissionNames,
  renameChannelClaim,
  updateChannelIfUnchanged,
} from "../../store/channels/channels.ts";
import type { Audience, LoggedEvent } from "../../store/log/entry.ts";
import { type ChangePart, joinParts, type NumberedChange } from "../../store/log/log.ts";
import { auditRecord, difference } from "../../store/organization/audit-log.ts";
import type { Write } from "../../store/table/writes.ts";
import type { User } from "../../store/users/users.ts";
import { checkStillActive } from "./create.ts";
import { channelNotice, policyName, quotedDescription } from "./notices.ts";

type NamedUser = Pick<User, "id" | "fullName">;

/**
 * Changes a channel, with the events, the notices of Notification Bot and what `extraOf` adds, given the ID of the last notice.
 * Conflicts if the channel, or what the addition depends on, has changed since it was read.
 */
export async function channelChange(
  before: Channel,
  changes: Partial<Channel>,
  actor: NamedUser,
  realm: Realm,
  extraOf: (lastNoticeId: number) => Partial<ChangePart>,
): Promise<NumberedChange> {
  const after = { ...before, ...changes };
  const notices = await composeNotices(before, after, actor, realm);
  const ownEvents = await changeEvents(before, after);
  const changedPermissions = channelPermissionNames
    .filter((name) => before.permissions[name] !== after.permissions[name])
    .map((name) => after.permissions[name]);
  const newFolder = before.folderId === after.folderId ? null : after.folderId;
  const ownChange = {
    writes: [
      updateChannelIfUnchanged(before, changes),
      ...renameChannelClaim(before.id, before.name, after.name, () => channelAlreadyExists(after.name)),
      ...checkStillActive({ folderId: newFolder }, changedPermissions),
      ...recordOf(before, after),
    ],
    events: ownEvents,
  };
  return {
    neededIds: { messages: notices.length },
    plan: (numbers) =>
      joinParts(ownChange, extraOf(numbers.message + notices.length - 1), planNotices(notices, numbers)),
  };
}

/** What the audit log says of a channel's change: nothing of its description and its folder. */
function recordOf(before: Channel, after: Channel): Write[] {
  const recorded = (channel: Channel) => ({
    name: channel.name,
    is_archived: channel.isArchived,
    invite_only: channel.inviteOnly,
    is_web_public: channel.isWebPublic,
    history_public_to_subscribers: channel.historyPublicToSubscribers,
    message_retention_days: channel.messageRetentionDays,
    ...channel.permissions,
  });
  const changed = difference(recorded(before), recorded(after));
  return Object.keys(changed.after).length === 0
    ? []
    : [auditRecord("channel_changed", { channelId: before.id, name: after.name, ...changed })];
}

/** One event for each changed property. See https://zulip.com/api/get-events#stream-update. */
async function changeEvents(before: Channel, after: Channel): Promise<LoggedEvent[]> {
  const { id: stream_id, name } = before;
  const updates: LoggedStreamUpdate[] = [];
  const addUpdate = (update: OmitEach<LoggedStreamUpdate, "type" | "op" | "stream_id" | "name">) =>
    updates.push({ type: "stream", op: "update", stream_id, name, ...update });
  const changed = (field: keyof Channel) => before[field] !== after[field];
  const permissionChanged = (permission: keyof Channel["permissions"]) =>
    before.permissions[permission] !== after.permissions[permission];
  // Clients without support for archived channels receive this as the channel's creation, so it must be first.
  if (changed("isArchived")) addUpdate({ property: "is_archived", value: after.isArchived });
  if (changed("inviteOnly") || changed("isWebPublic") || changed("historyPublicToSubscribers")) {
    const { historyPublicToSubscribers: history_public_to_subscribers, isWebPublic: is_web_public } = after;
    addUpdate({ property: "invite_only", value: after.inviteOnly, history_public_to_subscribers, is_web_public });
  }
  if (changed("name")) addUpdate({ property: "name", value: after.name });
  if (changed("description"))
    addUpdate({
      property: "description",
      value: after.description,
      rendered_description: after.renderedDescription,
    });
  if (changed("messageRetentionDays"))
    addUpdate({ property: "message_retention_days", value: after.messageRetentionDays });
  if (changed("topicsPolicy")) addUpdate({ property: "topics_policy", value: after.topicsPolicy });
  if (changed("folderId")) addUpdate({ property: "folder_id", value: after.folderId });
  for (const property of channelPermissionNames)
    if (permissionChanged(property)) addUpdate({ property, value: after.permissions[property] });
  // Only the first of these events makes the channel appear or disappear; later ones see the final state.
  const visibilityUpdate = updates.find(({ property }) =>
    ["invite_only", ...visibilityPermissionNames].includes(property),
  );
  if (visibilityUpdate) Object.assign(visibilityUpdate, { was: visibilityOf(before), is: visibilityOf(after) });
  const [policyBefore, policy] = [before, after].map((channel) =>
    postPolicy(channel.permissions.can_send_message_group),
  );
  if (policy !== undefined && policyBefore !== policy) {
    addUpdate({ property: "stream_post_policy", value: policy });
    addUpdate({ property: "is_announcement_only", value: policy === 2 });
  }
  const audience: Audience = { kind: "channelViewers", channelId: before.id };
  return [
    ...updates.map((event) => ({ audience, event })),
    ...(changed("isDefault") ? [await defaultStreamsChangedEvent(before.id, after.isDefault)] : []),
  ];
}

/** One message for all changes: two messages in one topic cannot be written in the same transaction. */
async function composeNotices(
  before: Channel,
  after: Channel,
  actor: NamedUser,
  realm: Realm,
): Promise<OutgoingMessage[]> {
  const texts: string[] = [];
  if (before.isArchived !== after.isArchived)
    texts.push(`${silentMention(actor)} ${after.isArchived ? "archived" : "unarchived"} this channel.`);
  if (before.name !== after.name)
    texts.push(
      `${silentMention(actor)} renamed channel **${plainName(before.name)}** to **${plainName(after.name)}**.`,
    );
  if (before.description !== after.description)
    texts.push(
      `${silentMention(actor)} changed the description for this channel.\n\n* **Old description:**\n${quotedDescription(before)}\n* **New description:**\n${quotedDescription(after)}`,
    );
  if (policyName(before) !== policyName(after))
    texts.push(
      `${silentMention(actor)} changed the access permissions for this channel from **${policyName(before)}** to **${policyName(after)}**.`,
    );
  return texts.length > 0 ? [await channelNotice(realm, after, texts.join("\n\n"))] : [];
}
