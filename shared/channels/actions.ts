import { checkFewGroups } from "../groups/names.ts";
import { groupsNamedBy } from "../groups/settings.ts";
import type { GroupSetting } from "../groups/values.ts";
import { type OutgoingMessage, planMessage } from "../messages/actions.ts";
import { renderText } from "../messages/render.ts";
import { accessRealm, type Realm } from "../organization/access.ts";
import { checkFolderOpen } from "../store/channel-folders.ts";
import { type Channel, type ChannelPermissions, createChannel } from "../store/channels.ts";
import { takeIds } from "../store/counters.ts";
import { checkGroupActive } from "../store/groups.ts";
import { commit, type LoggedEvent, type Numbers, readHead } from "../store/log.ts";
import { createSubscription, removeSubscription } from "../store/subscriptions.ts";
import { ConditionFailed, transact } from "../store/transactions.ts";
import type { Write } from "../store/writes.ts";
import { startingPermissions, startingSubscription } from "./defaults.ts";

export interface NewChannel {
  name: string;
  description: string;
  inviteOnly: boolean;
  isWebPublic: boolean;
  isDefault: boolean;
  historyPublicToSubscribers: boolean;
  messageRetentionDays: number | null;
  topicsPolicy: Channel["topicsPolicy"];
  folderId: number | null;
  permissions: Partial<ChannelPermissions>;
}

/** Messages that tell of a new channel, made once its ID is known; those to the channel itself come first. */
export type Announce = (channel: Channel) => Promise<OutgoingMessage[]>;

/** Subscriptions that fit into the transaction of the channel itself. */
const inOneTransaction = 40;
const perTransaction = 95;

/**
 * Creates a channel with its first subscribers and, in the same transaction, what tells of it; throws ConditionFailed
 * when the name is taken (then its position 1 failed) or a group or folder that it names is there no more. Of many subscribers most are written before: nobody sees them until the channel is there, and
 * a creation that died half-way has created nothing.
 */
export async function addChannel(
  wanted: Pick<NewChannel, "name"> & Partial<NewChannel>,
  creatorId: number | null,
  subscriberIds: readonly number[],
  { announce = async () => [], colors = new Map() }: { announce?: Announce; colors?: ReadonlyMap<number, string> } = {},
): Promise<Channel> {
  const [id, recipientId, realm] = await Promise.all([takeIds("channel"), takeIds("recipient"), accessRealm()]);
  const channel = await newChannel(id, recipientId, wanted, creatorId, realm);
  const unique = [...new Set(subscriberIds)];
  const subscription = (userId: number, from: number) => {
    const color = colors.get(userId);
    return createSubscription({ ...startingSubscription(userId, id, from), ...(color && { color }) });
  };
  const [first, others] = [unique.slice(0, inOneTransaction), unique.slice(inOneTransaction)];
  const messages = await announce(channel);
  if (others.length > 0) {
    const { message } = await readHead();
    await inBatches(others, (userId) => subscription(userId, message + 1));
  }
  const need = { events: 1 + (unique.length > 0 ? 1 : 0) + messages.length, messages: messages.length };
  try {
    return await commit(need, (numbers) => {
      const plans = messages.map((message, index) => planned(message, numbers, index));
      const ownMessage = plans.find(({ message }) => message.channelId === id)?.message.id;
      return {
        writes: [
          ...createChannel(channel, {
            subscriberCount: unique.length,
            ...(ownMessage !== undefined && { firstMessageId: ownMessage }),
          }),
          ...first.map((userId) => subscription(userId, numbers.message)),
          ...stillThere(channel, Object.values(channel.permissions)),
          ...plans.flatMap(({ writes }) => writes),
        ],
        events: [
          {
            audience: { kind: "channelViewers", channelId: id },
            event: { type: "stream", op: "create", stream_id: id },
          },
          ...(unique.length > 0 ? [membershipEvent("join", channel, unique)] : []),
          ...plans.map(({ event }) => event),
        ],
        result: channel,
      };
    });
  } catch (error) {
    if (error instanceof ConditionFailed) await inBatches(others, (userId) => removeSubscription(userId, id));
    throw error;
  }
}

/** Fails a transaction that leads to a group or a folder which is there no more. */
export const stillThere = ({ folderId }: Pick<Channel, "folderId">, permissions: readonly GroupSetting[]): Write[] => [
  ...checkFewGroups(groupsNamedBy(permissions)).map(checkGroupActive),
  ...(folderId === null ? [] : [checkFolderOpen(folderId)]),
];

async function inBatches<T>(items: readonly T[], write: (item: T) => Parameters<typeof transact>[0][number]) {
  const batches = Array.from({ length: Math.ceil(items.length / perTransaction) }, (_, index) =>
    items.slice(index * perTransaction, (index + 1) * perTransaction),
  );
  for (let start = 0; start < batches.length; start += 8)
    await Promise.all(batches.slice(start, start + 8).map((batch) => transact(batch.map(write))));
}

/** The plan of a message to a channel, which takes the place `index` among a change's messages. */
export const planned = (message: OutgoingMessage, numbers: Numbers, index = 0) => {
  const recipientId = message.destination.kind === "channel" ? message.destination.channel.recipientId : 0;
  return planMessage(
    { ...message, recipientId, newConversation: false },
    { ...numbers, message: numbers.message + index },
  );
};

/** The log's word for who came into a channel or left it. */
export const membershipEvent = (
  op: "join" | "leave",
  channel: Pick<Channel, "id" | "name">,
  userIds: readonly number[],
): LoggedEvent => ({
  // Who has left, and may not know of the channel any more, hears of that too.
  audience: { kind: "channelViewers", channelId: channel.id, ...(op === "leave" && { userIds: [...userIds] }) },
  event: { type: "subscription", op, stream_id: channel.id, name: channel.name, user_ids: [...userIds] },
});

async function newChannel(
  id: number,
  recipientId: number,
  wanted: Pick<NewChannel, "name"> & Partial<NewChannel>,
  creatorId: number | null,
  realm: Realm,
): Promise<Channel> {
  const { permissions, description = "", inviteOnly = false, ...rest } = wanted;
  return {
    version: 1,
    isWebPublic: false,
    isDefault: false,
    historyPublicToSubscribers: !inviteOnly,
    messageRetentionDays: null,
    topicsPolicy: "inherit",
    folderId: null,
    ...rest,
    id,
    recipientId,
    description,
    renderedDescription: await renderDescription(description, realm),
    inviteOnly,
    createdAt: Math.floor(Date.now() / 1000),
    creatorId,
    isArchived: false,
    permissions: { ...startingPermissions(creatorId), ...permissions },
  };
}

/** A description as HTML. */
export const renderDescription = async (description: string, realm: Realm): Promise<string> =>
  description === "" ? "" : (await renderText(description, realm)).html;
