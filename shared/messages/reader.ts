import { contentHolds } from "../channels/content.ts";
import { mayReadContent, mayReadHistory } from "../channels/rules.ts";
import type { Holds } from "../groups/access.ts";
import { holds, needsGraph } from "../groups/rules.ts";
import type { Realm } from "../organization/access.ts";
import { type Channel, findChannels } from "../store/channels.ts";
import { findGroupGraph, type GroupGraph } from "../store/groups.ts";
import type { Brief, Message } from "../store/messages.ts";
import { findSubscriptionsOf, listSubscriptions, type Subscription } from "../store/subscriptions.ts";
import type { Caller } from "../users/caller.ts";
import { mentionedGroups } from "./facts.ts";
import { isWithin } from "./periods.ts";
import { isExpired } from "./retention.ts";

/** How a message is within reach: received by the reader, or only part of a history that they may read. */
export type Reach = "received" | "history" | undefined;

/** Someone who reads messages, a spectator without an account too, with what was read of their channels so far. */
export class Reader {
  readonly caller: Caller | undefined;
  readonly realm: Realm;
  private readonly channels = new Map<number, Channel | undefined>();
  private readonly known = new Map<number, Subscription | undefined>();
  private all: Promise<Subscription[]> | undefined;
  private graph: GroupGraph = { subgroups: {} };
  private readonly granted = new Map<number, Holds>();

  constructor(caller: Caller | undefined, realm: Realm) {
    this.caller = caller;
    this.realm = realm;
  }

  /** Reads what is not known yet of some channels and of the reader's subscriptions to them: 0.5 read units each. */
  async learn(channelIds: Iterable<number>): Promise<void> {
    const wanted = [...new Set(channelIds)];
    const channels = wanted.filter((id) => !this.channels.has(id));
    const unsubscribed = this.all || !this.caller ? [] : wanted.filter((id) => !this.known.has(id));
    const [found, subscriptions] = await Promise.all([
      findChannels(channels),
      findSubscriptionsOf(this.caller?.id ?? 0, unsubscribed),
      this.all,
    ]);
    channels.forEach((id, place) => {
      this.channels.set(id, found[place]);
    });
    unsubscribed.forEach((id, place) => {
      this.known.set(id, subscriptions[place]);
    });
    await this.learnPermissions(channels);
  }

  /** Reads what gives the reader the content of channels without a subscription, once: mostly nothing. */
  private async learnPermissions(channelIds: readonly number[]): Promise<void> {
    const unsubscribed = channelIds.filter((id) => !this.known.get(id)?.active);
    if (!this.caller || unsubscribed.length === 0) return;
    const channels = unsubscribed.map((id) => this.channels.get(id));
    const holds = await contentHolds(this.caller, channels, this.realm);
    for (const id of unsubscribed) this.granted.set(id, holds);
  }

  private holds = (channelId: number): Holds => this.granted.get(channelId) ?? (() => false);

  /** Reads what decides about the mentions of groups in some messages: nothing where no group made by people is named. */
  async learnGroups(messages: readonly Message[]): Promise<void> {
    if (messages.some((message) => mentionedGroups(message).some(needsGraph))) this.graph = await findGroupGraph();
  }

  /** All of the reader's subscriptions, the former ones too; read once. */
  async subscriptions(): Promise<Subscription[]> {
    const { caller } = this;
    if (!caller) return [];
    this.all ??= listSubscriptions(caller.id).then((all) => {
      for (const subscription of all) this.known.set(subscription.channelId, subscription);
      return all;
    });
    return this.all;
  }

  /** All subscriptions, and the former ones to channels that may still be read. */
  async readableSubscriptions(): Promise<Subscription[]> {
    const all = await this.subscriptions();
    await this.learn(all.filter(({ active }) => !active).map(({ channelId }) => channelId));
    return all.filter(({ channelId }) => this.mayRead(channelId));
  }

  /** A channel that was learned of. */
  channel = (id: number) => this.channels.get(id);
  /** The subscription to a channel that was learned of. */
  subscription = (channelId: number) => this.known.get(channelId);

  /** Whether the reader may read a channel that was learned of. */
  mayRead(channelId: number): boolean {
    const channel = this.channels.get(channelId);
    if (!channel) return this.known.get(channelId)?.active === true;
    if (!this.caller) return channel.isWebPublic && this.realm.settings.enable_spectator_access;
    return mayReadContent(this.caller, channel, this.known.get(channelId), this.holds(channelId));
  }

  mayReadHistory(channelId: number): boolean {
    const channel = this.channels.get(channelId);
    if (!channel || !this.mayRead(channelId)) return false;
    return !this.caller || mayReadHistory(this.caller, channel, this.known.get(channelId), this.holds(channelId));
  }

  /** How a message is within reach, its channel having been learned of. */
  reach(message: Brief): Reach {
    const { channelId, id, userIds = [] } = message;
    if (isExpired(message, channelId === undefined ? undefined : this.channels.get(channelId), this.realm.settings))
      return undefined;
    if (channelId === undefined) return this.caller && userIds.includes(this.caller.id) ? "received" : undefined;
    if (!this.mayRead(channelId)) return undefined;
    const subscription = this.known.get(channelId);
    if (wasSubscribed(subscription, id)) return "received";
    const arrived = isWithin(subscription?.periods ?? [], message);
    return arrived || this.mayReadHistory(channelId) ? "history" : undefined;
  }

  /** Whether the reader belongs to a group that the message mentions, as groups are now. */
  isInMentionedGroup(message: Message): boolean {
    const { caller, graph } = this;
    const waiting = this.realm.settings.waiting_period_threshold;
    return caller !== undefined && mentionedGroups(message).some((group) => holds(caller, group, graph, waiting));
  }
}

/** Whether a message was sent while the subscription held. */
export const wasSubscribed = (subscription: Subscription | undefined, messageId: number) =>
  subscription?.periods.some(([from, to = Number.POSITIVE_INFINITY]) => from <= messageId && messageId < to) === true;
