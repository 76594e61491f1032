import { loadContentPermissions } from "../../core/channels/content-permissions.ts";
import { isWithin } from "../../core/channels/periods.ts";
import { isExpired } from "../../core/channels/retention.ts";
import { mayReadContent, mayReadHistory } from "../../core/channels/rules.ts";
import type { Caller } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import type { HasPermission } from "../../services/permissions/access.ts";
import { isPermitted, needsGraph } from "../../services/permissions/rules.ts";
import { type Channel, findChannelIdByName, findChannels } from "../../store/channels/channels.ts";
import { findSubscriptionsOf, listSubscriptions, type Subscription } from "../../store/channels/subscriptions.ts";
import type { Message, MessageSummary } from "../../store/messages/messages.ts";
import { findGroupGraph, type GroupGraph } from "../../store/organization/groups.ts";
import { mentionedGroups } from "./html-facts.ts";

/** Why a reader may read a message: they received it, or it belongs to history that they may read. Undefined: they may not. */
type Reach = "received" | "history" | undefined;

/** A user or spectator who reads messages, with a request-scoped cache of their channels and subscriptions. */
export class Reader {
  readonly caller: Caller | undefined;
  readonly realm: Realm;
  private readonly channelIds = new Map<string, Promise<number | undefined>>();
  private readonly channels = new Map<number, Channel | undefined>();
  private readonly subscriptionsById = new Map<number, Subscription | undefined>();
  private allSubscriptions: Promise<Subscription[]> | undefined;
  private graph: GroupGraph = { subgroups: {} };
  private readonly contentPermissions = new Map<number, HasPermission>();

  constructor(caller: Caller | undefined, realm: Realm) {
    this.caller = caller;
    this.realm = realm;
  }

  /** Loads channels and the reader's subscriptions to them, unless they are cached. Costs 0.5 read units each. */
  async load(channelIds: Iterable<number>): Promise<void> {
    const ids = [...new Set(channelIds)];
    const uncachedChannels = ids.filter((id) => !this.channels.has(id));
    const uncachedSubscriptions =
      this.allSubscriptions || !this.caller ? [] : ids.filter((id) => !this.subscriptionsById.has(id));
    const [channels, subscriptions] = await Promise.all([
      findChannels(uncachedChannels),
      findSubscriptionsOf(this.caller?.id ?? 0, uncachedSubscriptions),
      this.allSubscriptions,
    ]);
    uncachedChannels.forEach((id, index) => {
      this.channels.set(id, channels[index]);
    });
    uncachedSubscriptions.forEach((id, index) => {
      this.subscriptionsById.set(id, subscriptions[index]);
    });
    await this.loadPermissions(ids.filter((id) => !this.contentPermissions.has(id)));
  }

  /** The ID of the channel with a name, ignoring case; each name is looked up once. 0.5 read units. */
  findChannelId(name: string): Promise<number | undefined> {
    const id = this.channelIds.get(name) ?? findChannelIdByName(name.trim());
    this.channelIds.set(name, id);
    return id;
  }

  /** Loads only a channel. Whether the reader may read it is known once `load` has added the subscription. */
  async loadChannel(id: number): Promise<Channel | undefined> {
    if (!this.channels.has(id)) this.channels.set(id, (await findChannels([id]))[0]);
    return this.channels.get(id);
  }

  /**
   * Loads the permissions that give access to channels without a subscription. Reads only for private channels that name a
   * custom group.
   */
  private async loadPermissions(channelIds: readonly number[]): Promise<void> {
    const unsubscribed = channelIds.filter((id) => !this.subscriptionsById.get(id)?.active);
    if (!this.caller || unsubscribed.length === 0) return;
    const channels = unsubscribed.map((id) => this.channels.get(id));
    const hasPermission = await loadContentPermissions(this.caller, channels, this.realm);
    for (const id of unsubscribed) this.contentPermissions.set(id, hasPermission);
  }

  private contentPermission = (channelId: number): HasPermission =>
    this.contentPermissions.get(channelId) ?? (() => false);

  /** Loads the group graph if a message mentions a group that is not a system group. */
  async loadGroupGraph(messages: readonly Message[]): Promise<void> {
    if (messages.some((message) => mentionedGroups(message).some(needsGraph))) this.graph = await findGroupGraph();
  }

  /** All of the reader's subscriptions, including former ones; read once. */
  async subscriptions(): Promise<Subscription[]> {
    const { caller } = this;
    if (!caller) return [];
    this.allSubscriptions ??= listSubscriptions(caller.id).then((subscriptions) => {
      for (const subscription of subscriptions) this.subscriptionsById.set(subscription.channelId, subscription);
      return subscriptions;
    });
    return this.allSubscriptions;
  }

  /** Active subscriptions, and former ones to channels that the reader may still read. */
  async readableSubscriptions(): Promise<Subscription[]> {
    const subscriptions = await this.subscriptions();
    await this.load(subscriptions.filter(({ active }) => !active).map(({ channelId }) => channelId));
    return subscriptions.filter(({ channelId }) => this.mayRead(channelId));
  }

  channel = (id: number) => this.channels.get(id);
  subscription = (channelId: number) => this.subscriptionsById.get(channelId);

  /**
   * Whether messages of a channel can be unread for the reader: only where they are subscribed, and until it is archived, so that
   * nothing counts that no list shows. The channel must have been loaded.
   */
  tracksUnread(channelId: number): boolean {
    return this.subscriptionsById.get(channelId)?.active === true && this.channels.get(channelId)?.isArchived !== true;
  }

  mayRead(channelId: number): boolean {
    const channel = this.channels.get(channelId);
    if (!channel) return this.subscriptionsById.get(channelId)?.active === true;
    if (!this.caller) return channel.isWebPublic && this.realm.settings.enable_spectator_access;
    return mayReadContent(
      this.caller,
      channel,
      this.subscriptionsById.get(channelId),
      this.contentPermission(channelId),
    );
  }

  mayReadHistory(channelId: number): boolean {
    const channel = this.channels.get(channelId);
    if (!channel || !this.mayRead(channelId)) return false;
    return (
      !this.caller ||
      mayReadHistory(this.caller, channel, this.subscriptionsById.get(channelId), this.contentPermission(channelId))
    );
  }

  /** Why the reader may read a message; its channel must have been loaded. */
  reach(message: MessageSummary): Reach {
    const { channelId, id, userIds = [] } = message;
    if (isExpired(message, channelId === undefined ? undefined : this.channels.get(channelId), this.realm.settings))
      return undefined;
    if (channelId === undefined) return this.caller && userIds.includes(this.caller.id) ? "received" : undefined;
    if (!this.mayRead(channelId)) return undefined;
    const subscription = this.subscriptionsById.get(channelId);
    if (wasSubscribed(subscription, id)) return "received";
    const arrivedWhileSubscribed = isWithin(subscription?.periods ?? [], message);
    return arrivedWhileSubscribed || this.mayReadHistory(channelId) ? "history" : undefined;
  }

  /** Whether the reader is currently a member of a group that the message mentions. */
  isInMentionedGroup(message: Message): boolean {
    const { caller, graph } = this;
    const waitingDays = this.realm.settings.waiting_period_threshold;
    return (
      caller !== undefined && mentionedGroups(message).some((group) => isPermitted(caller, group, graph, waitingDays))
    );
  }
}

/** Whether a message was sent while the user was subscribed. */
export const wasSubscribed = (subscription: Subscription | undefined, messageId: number) =>
  subscription?.periods.some(([from, to = Number.POSITIVE_INFINITY]) => from <= messageId && messageId < to) === true;
