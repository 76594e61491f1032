import { renderParagraphs } from "../messages/render.ts";
import { type Channel, type ChannelPermissions, createChannel } from "../store/channels.ts";
import { takeIds } from "../store/counters.ts";
import { readHead } from "../store/log.ts";
import { createSubscription } from "../store/subscriptions.ts";
import { transact } from "../store/table.ts";
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

/** Creates a channel with its first subscribers (at most 40); throws ConditionFailed when the name is taken. */
export async function addChannel(
  wanted: Pick<NewChannel, "name"> & Partial<NewChannel>,
  creatorId: number | null,
  subscriberIds: readonly number[],
): Promise<Channel> {
  const [id, recipientId, { message }] = await Promise.all([takeIds("channel"), takeIds("recipient"), readHead()]);
  const { permissions, description = "", inviteOnly = false, ...rest } = wanted;
  const channel: Channel = {
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
    renderedDescription: description === "" ? "" : renderParagraphs(description),
    inviteOnly,
    createdAt: Math.floor(Date.now() / 1000),
    creatorId,
    isArchived: false,
    subscriberCount: subscriberIds.length,
    permissions: { ...startingPermissions(creatorId), ...permissions },
  };
  await transact([
    ...createChannel(channel),
    ...subscriberIds.map((userId) => createSubscription(startingSubscription(userId, id, message + 1))),
  ]);
  return channel;
}
