import { mayReadContent, mayReadHistory } from "../channels/rules.ts";
import { badNarrow } from "../errors.ts";
import type { Realm } from "../organization/access.ts";
import { findAccount } from "../store/accounts.ts";
import { findChannel, findChannelIdByName, findChannels } from "../store/channels.ts";
import { channelPartition, conversationPartition, topicPartition } from "../store/messages.ts";
import { findSubscription, listSubscriptions, type Subscription } from "../store/subscriptions.ts";
import type { Caller } from "../users/caller.ts";
import type { Term } from "./narrow.ts";
import { directMessagesSource, partitionSource, type Source, within } from "./sources.ts";
import { topicName } from "./topics.ts";

/** The ordered runs of messages in which a caller's narrow is to be looked up. */
export async function sourcesFor(caller: Caller, terms: readonly Term[], realm: Realm): Promise<Source[]> {
  const operand = (operator: Term["operator"]) => terms.find((term) => term.operator === operator)?.operand;
  if (terms.some(({ negated }) => negated)) throw badNarrow("negated terms are not supported here");
  const [channel, topic, dm] = [operand("channel"), operand("topic"), operand("dm")];
  if (dm !== undefined) {
    if (channel !== undefined || topic !== undefined)
      throw badNarrow("No message can be both a channel message and direct message");
    return conversationSources(caller, dm);
  }
  const named = topic === undefined ? undefined : topicName(String(topic), realm.settings);
  return channel === undefined ? personalSources(caller, named) : channelSources(caller, channel, named);
}

const channelSource = (channelId: number, topic: string | undefined) =>
  topic === undefined
    ? partitionSource("gsi1", channelPartition(channelId))
    : partitionSource("gsi2", topicPartition(channelId, topic));

async function channelSources(caller: Caller, operand: Term["operand"], topic: string | undefined): Promise<Source[]> {
  const id = typeof operand === "string" ? await findChannelIdByName(operand.trim()) : operand;
  if (typeof id !== "number") throw badNarrow("unknown channel");
  const [channel, subscription] = await Promise.all([findChannel(id), findSubscription(caller.id, id)]);
  if (!channel || !mayReadContent(caller, channel, subscription)) throw badNarrow("unknown channel");
  const source = channelSource(id, topic);
  return [mayReadHistory(caller, channel, subscription) ? source : within(subscription?.periods ?? [], source)];
}

/** What the caller received and may still read: derived from the periods of their subscriptions. */
async function personalSources(caller: Caller, topic: string | undefined): Promise<Source[]> {
  const subscriptions = await readableSubscriptions(caller);
  const channels = subscriptions.map(({ channelId, periods }) => within(periods, channelSource(channelId, topic)));
  return topic === undefined ? [...channels, directMessagesSource(caller.id)] : channels;
}

async function readableSubscriptions(caller: Caller): Promise<Subscription[]> {
  const all = await listSubscriptions(caller.id);
  const former = all.filter(({ active }) => !active);
  const channels = await findChannels(former.map(({ channelId }) => channelId));
  const lost = new Set(
    former.filter((subscription, index) => {
      const channel = channels[index];
      return !channel || !mayReadContent(caller, channel, subscription);
    }),
  );
  return all.filter((subscription) => !lost.has(subscription));
}

/** Operands are IDs or addresses, one or a list, the caller's own among them or not. */
async function conversationSources(caller: Caller, operand: Term["operand"]): Promise<Source[]> {
  const named = Array.isArray(operand) ? operand : typeof operand === "string" ? operand.split(",") : [operand];
  const ids = await Promise.all(
    named.map(async (one) => {
      if (typeof one === "number") return one;
      const account = await findAccount(one.trim());
      if (!account) throw badNarrow(`unknown user in ${operand}`);
      return account.userId;
    }),
  );
  return [partitionSource("gsi1", conversationPartition([...ids, caller.id]))];
}
