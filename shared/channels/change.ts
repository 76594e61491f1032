import { badRequest, channelAlreadyExists } from "../errors.ts";
import type { OutgoingMessage } from "../messages/actions.ts";
import type { Realm } from "../organization/access.ts";
import { type Channel, changeChannel, renameChannelClaim } from "../store/channels.ts";
import { commit, type LoggedEvent } from "../store/log.ts";
import { ConditionFailed } from "../store/transactions.ts";
import type { User } from "../store/users.ts";
import type { Write } from "../store/writes.ts";
import { planned, stillThere } from "./actions.ts";
import { defaultStreamsEvent } from "./default-channels.ts";
import { permissionsToKnow, sightOf } from "./feed.ts";
import { channelNotice, policyName, silently } from "./notices.ts";
import { permissionNames } from "./params.ts";
import { postPolicy } from "./wire.ts";

type Named = Pick<User, "id" | "fullName">;

/**
 * Makes the changes of a channel with their events and what Notification Bot says of them, in one transaction, and what
 * goes `beside` them. False when the channel, or that, has been changed since it was read: then all is to be looked at
 * again.
 */
export async function changeTo(
  before: Channel,
  changes: Partial<Channel>,
  by: Named,
  realm: Realm,
  beside: { writes: Write[]; events: LoggedEvent[] } = { writes: [], events: [] },
): Promise<boolean> {
  const after = { ...before, ...changes };
  const notices = await noticesOf(before, after, by, realm);
  const events = [...(await eventsOf(before, after)), ...beside.events];
  const claims = renameChannelClaim(before.id, before.name, after.name);
  const changedPermissions = permissionNames
    .filter((name) => before.permissions[name] !== after.permissions[name])
    .map((name) => after.permissions[name]);
  const newFolder = before.folderId === after.folderId ? null : after.folderId;
  try {
    return await commit({ events: events.length + notices.length, messages: notices.length }, (numbers) => {
      const plans = notices.map((notice, index) => planned(notice, numbers, index));
      return {
        writes: [
          changeChannel(before, changes),
          ...beside.writes,
          ...claims,
          ...stillThere({ folderId: newFolder }, changedPermissions),
          ...plans.flatMap(({ writes }) => writes),
        ],
        events: [...events, ...plans.map(({ event }) => event)],
        result: true,
      };
    });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const first = 1 + beside.writes.length;
    if (error.failed.some((position) => position < first)) return false;
    if (claims.length > 0 && error.failed.includes(first)) throw channelAlreadyExists(after.name);
    throw badRequest("A group or folder of the channel was deactivated at the same time; try again.");
  }
}

/** One event for each property that changed, as clients get it (companion reference, D). */
async function eventsOf(before: Channel, after: Channel): Promise<LoggedEvent[]> {
  const event = (property: string, value: unknown, fields: Record<string, unknown> = {}): LoggedEvent => ({
    audience: { kind: "channelViewers", channelId: before.id },
    event: { type: "stream", op: "update", stream_id: before.id, name: before.name, property, value, ...fields },
  });
  const events: LoggedEvent[] = [];
  const changed = (name: keyof Channel) => before[name] !== after[name];
  const permissionChanged = (name: keyof Channel["permissions"]) =>
    before.permissions[name] !== after.permissions[name];
  // Whoever does not know archived channels takes this for the channel's creation: it comes first.
  if (changed("isArchived")) events.push(event("is_archived", after.isArchived));
  if (changed("inviteOnly") || changed("isWebPublic") || changed("historyPublicToSubscribers")) {
    const { historyPublicToSubscribers: history_public_to_subscribers, isWebPublic: is_web_public } = after;
    events.push(event("invite_only", after.inviteOnly, { history_public_to_subscribers, is_web_public }));
  }
  if (changed("name")) events.push(event("name", after.name));
  if (changed("description"))
    events.push(event("description", after.description, { rendered_description: after.renderedDescription }));
  if (changed("messageRetentionDays")) events.push(event("message_retention_days", after.messageRetentionDays));
  if (changed("topicsPolicy")) events.push(event("topics_policy", after.topicsPolicy));
  if (changed("folderId")) events.push(event("folder_id", after.folderId));
  for (const name of permissionNames) if (permissionChanged(name)) events.push(event(name, after.permissions[name]));
  // The first of them tells those for whom the channel comes or goes; the others find it as it then is.
  const deciding = events.find(({ event: { property } }) =>
    ["invite_only", ...permissionsToKnow].includes(property as string),
  );
  if (deciding) Object.assign(deciding.event, { was: sightOf(before), is: sightOf(after) });
  const [policyBefore, policy] = [before, after].map((channel) =>
    postPolicy(channel.permissions.can_send_message_group),
  );
  if (policyBefore !== policy)
    events.push(event("stream_post_policy", policy), event("is_announcement_only", policy === 2));
  if (changed("isDefault")) events.push(await defaultStreamsEvent(before.id, after.isDefault));
  return events;
}

/** One message for all that is worth one: two could not take their place in the same topic in one transaction. */
async function noticesOf(before: Channel, after: Channel, by: Named, realm: Realm): Promise<OutgoingMessage[]> {
  const texts: string[] = [];
  if (before.isArchived !== after.isArchived)
    texts.push(`${silently(by)} ${after.isArchived ? "archived" : "unarchived"} this channel.`);
  if (before.name !== after.name)
    texts.push(`${silently(by)} renamed channel **${before.name}** to **${after.name}**.`);
  if (before.description !== after.description)
    texts.push(
      `${silently(by)} changed the description for this channel.\n\n* **Old description:**\n${quoted(before.description)}\n* **New description:**\n${quoted(after.description)}`,
    );
  if (policyName(before) !== policyName(after))
    texts.push(
      `${silently(by)} changed the access permissions for this channel from **${policyName(before)}** to **${policyName(after)}**.`,
    );
  return texts.length > 0 ? [await channelNotice(realm, after, texts.join("\n\n"))] : [];
}

const quoted = (description: string) => `\`\`\`\`\` quote\n${description || "*No description.*"}\n\`\`\`\`\``;
