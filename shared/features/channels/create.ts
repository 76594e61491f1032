import { batchesOf, mapInBatches } from "../../base/batches.ts";
import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { ApiError, badRequest } from "../../base/errors.ts";
import type { GroupSetting } from "../../base/schema/group-setting.ts";
import { nowSeconds } from "../../base/time.ts";
import { defaultPermissions, newSubscription } from "../../core/channels/defaults.ts";
import { defaultStreamsChangedEvent } from "../../core/default-streams/default-streams.ts";
import { checkGroupCount } from "../../core/user-groups/names.ts";
import { referencedGroups } from "../../core/user-groups/settings.ts";
import { renderText } from "../../messaging/messages/render/render.ts";
import type { OutgoingMessage } from "../../messaging/messages/send/actions.ts";
import { planNotices } from "../../messaging/messages/send/notices.ts";
import { loadRealm, type Realm } from "../../services/organization/access.ts";
import { checkFolderOpen } from "../../store/channels/channel-folders.ts";
import { type Channel, type ChannelPermissions, createChannel } from "../../store/channels/channels.ts";
import { createSubscription, deleteSubscription } from "../../store/channels/subscriptions.ts";
import type { LoggedEvent } from "../../store/log/entry.ts";
import { type ChangePart, commit, commitNumbered, joinParts, readHead } from "../../store/log/log.ts";
import { checkGroupActive } from "../../store/organization/groups.ts";
import { takeIds } from "../../store/table/counters.ts";
import { ConditionFailed } from "../../store/table/transactions.ts";
import { type Write, withRefusal } from "../../store/table/writes.ts";

type Privacy = "inviteOnly" | "isWebPublic" | "historyPublicToSubscribers";
type OtherSettings = "isDefault" | "messageRetentionDays" | "topicsPolicy" | "folderId";

/** The settings of a new channel. */
export type ChannelSettings = Pick<Channel, Privacy | OtherSettings> & { permissions: Partial<ChannelPermissions> };
export type NewChannel = Pick<Channel, "name" | "description"> & ChannelSettings;

/** Composes the messages about a new channel once its ID is known; messages to the channel itself come first. */
type Announce = (channel: Channel) => Promise<OutgoingMessage[]>;

/** The number of subscriptions in the transaction that creates the channel. It also contains messages and group checks. */
const maxSubscriptionsWithChannel = 40;
/** The number of subscriptions in each transaction before that one: DynamoDB allows 100 items, of which the log takes some. */
const maxSubscriptionsPerBatch = 95;
const maxConcurrentBatches = 8;

/**
 * Creates a channel with its first subscribers, events and messages in one transaction. Throws ConditionFailed when the
 * name is taken, and a 400 when a referenced group was deactivated or the folder archived. With many subscribers, most
 * subscriptions are written before the channel: they are invisible without the channel, so that an interrupted creation leaves
 * nothing visible.
 */
export async function addChannel(
  fields: Pick<NewChannel, "name"> & Partial<NewChannel>,
  creatorId: number | null,
  subscriberIds: readonly number[],
  { announce = async () => [], colors = new Map() }: { announce?: Announce; colors?: ReadonlyMap<number, string> } = {},
): Promise<Channel> {
  const [id, recipientId, realm] = await Promise.all([takeIds("channel"), takeIds("recipient"), loadRealm()]);
  // Channels are archived and never deleted, and their IDs are consecutive.
  if (id > creationLimits.channel.max) throw badRequest(tooMany("channel"));
  const channel = await newChannel(id, recipientId, fields, creatorId, realm);
  const uniqueIds = [...new Set(subscriberIds)];
  const subscription = (userId: number, from: number) => {
    const color = colors.get(userId);
    return createSubscription({ ...newSubscription(userId, id, from), ...(color && { color }) });
  };
  const [idsWithChannel, idsBeforeChannel] = [
    uniqueIds.slice(0, maxSubscriptionsWithChannel),
    uniqueIds.slice(maxSubscriptionsWithChannel),
  ];
  const [messages, defaultStreamsEvent] = await Promise.all([
    announce(channel),
    channel.isDefault ? defaultStreamsChangedEvent(id, true) : undefined,
  ]);
  if (idsBeforeChannel.length > 0) {
    const { message } = await readHead();
    await commitInBatches(idsBeforeChannel, (userId) => subscription(userId, message + 1));
  }
  try {
    await commitNumbered({ messages: messages.length }, (numbers) => {
      const notices = planNotices(messages, numbers);
      const firstMessageId = notices.messages.find(({ channelId }) => channelId === id)?.id;
      const creation: ChangePart = {
        writes: [
          ...createChannel(channel, {
            subscriberCount: uniqueIds.length,
            ...(firstMessageId !== undefined && { firstMessageId }),
          }),
          ...idsWithChannel.map((userId) => subscription(userId, numbers.message)),
          ...checkStillActive(channel, Object.values(channel.permissions)),
        ],
        events: [
          {
            audience: { kind: "channelViewers", channelId: id },
            event: { type: "stream", op: "create", stream_id: id },
          },
          ...(defaultStreamsEvent ? [defaultStreamsEvent] : []),
          ...(uniqueIds.length > 0 ? [membershipEvent("join", channel, uniqueIds)] : []),
        ],
      };
      return joinParts(creation, notices);
    });
    return channel;
  } catch (error) {
    if (error instanceof ConditionFailed || error instanceof ApiError)
      await commitInBatches(idsBeforeChannel, (userId) => deleteSubscription(userId, id));
    throw error;
  }
}

/** Conditions that fail the transaction when a referenced group was deactivated or the folder archived. */
export const checkStillActive = (
  { folderId }: Pick<Channel, "folderId">,
  permissions: readonly GroupSetting[],
): Write[] =>
  [
    ...checkGroupCount(referencedGroups(permissions)).map(checkGroupActive),
    ...(folderId === null ? [] : [checkFolderOpen(folderId)]),
  ].map((write) => withRefusal(write, () => badRequest(deactivatedMeanwhile)));

const deactivatedMeanwhile = "A group or folder of the channel was deactivated by another request; try again.";

const commitInBatches = <T>(items: readonly T[], write: (item: T) => Write) =>
  mapInBatches([...batchesOf(items, maxSubscriptionsPerBatch)], maxConcurrentBatches, (batch) =>
    commit({ writes: batch.map(write) }),
  );

/** The logged event for users who joined or left a channel. */
export const membershipEvent = (
  op: "join" | "leave",
  channel: Pick<Channel, "id" | "name">,
  userIds: readonly number[],
): LoggedEvent => ({
  // Users who left get the event even if they can no longer see the channel.
  audience: { kind: "channelViewers", channelId: channel.id, ...(op === "leave" && { userIds: [...userIds] }) },
  event: { type: "subscription", op, stream_id: channel.id, name: channel.name, user_ids: [...userIds] },
});

async function newChannel(
  id: number,
  recipientId: number,
  fields: Pick<NewChannel, "name"> & Partial<NewChannel>,
  creatorId: number | null,
  realm: Realm,
): Promise<Channel> {
  const { permissions, description = "", inviteOnly = false, ...otherFields } = fields;
  return {
    version: 1,
    isWebPublic: false,
    isDefault: false,
    historyPublicToSubscribers: !inviteOnly,
    messageRetentionDays: null,
    topicsPolicy: "inherit",
    folderId: null,
    ...otherFields,
    id,
    recipientId,
    description,
    renderedDescription: await renderDescription(description, realm),
    inviteOnly,
    createdAt: nowSeconds(),
    creatorId,
    isArchived: false,
    permissions: { ...defaultPermissions(creatorId), ...permissions },
  };
}

export const renderDescription = async (description: string, realm: Realm): Promise<string> =>
  description === "" ? "" : (await renderText(description, realm)).html;
