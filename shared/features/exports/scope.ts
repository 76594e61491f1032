import { isWithin } from "../../core/channels/periods.ts";
import { isExpired } from "../../core/channels/retention.ts";
import type { Realm } from "../../services/organization/access.ts";
import { type Channel, findChannels } from "../../store/channels/channels.ts";
import { findSubscriptionsTo, listSubscriberIds, type Subscription } from "../../store/channels/subscriptions.ts";
import type { Message } from "../../store/messages/messages.ts";

/**
 * Decides what an export includes: public channels, and what consenting users can read in direct messages and in private
 * channels to which they are subscribed.
 */
export class Scope {
  private readonly realm: Realm;
  private readonly consentingIds: ReadonlySet<number>;
  private readonly channels = new Map<number, Channel | undefined>();
  /** For private channels: the subscriptions of consenting users. */
  private readonly subscriptions = new Map<number, Subscription[]>();

  constructor(realm: Realm, consentingIds: ReadonlySet<number>) {
    this.realm = realm;
    this.consentingIds = consentingIds;
  }

  /** Loads channels that are not cached, at 0.5 read units each, and the subscribers of private ones. */
  async load(channelIds: Iterable<number>): Promise<void> {
    const wanted = [...new Set(channelIds)].filter((id) => !this.channels.has(id));
    for (const [index, channel] of (await findChannels(wanted)).entries()) {
      const id = wanted[index] as number;
      this.channels.set(id, channel);
      if (channel?.inviteOnly) this.subscriptions.set(id, await this.findConsentingSubscriptions(id));
    }
  }

  private async findConsentingSubscriptions(channelId: number): Promise<Subscription[]> {
    if (this.consentingIds.size === 0) return [];
    const ids = (await listSubscriberIds(channelId)).filter((id) => this.consentingIds.has(id));
    return (await findSubscriptionsTo(channelId, ids)).filter((found) => found?.active) as Subscription[];
  }

  channel = (id: number) => this.channels.get(id);

  includesChannel(id: number): boolean {
    const channel = this.channels.get(id);
    if (!channel) return false;
    return !channel.inviteOnly || (this.subscriptions.get(id)?.length ?? 0) > 0;
  }

  /** Whether a message is included; its channel must have been loaded. */
  includes(message: Message): boolean {
    const { channelId, userIds = [] } = message;
    const channel = channelId === undefined ? undefined : this.channels.get(channelId);
    if (isExpired(message, channel, this.realm.settings)) return false;
    if (channelId === undefined) return userIds.some((userId) => this.consentingIds.has(userId));
    if (!channel || !this.includesChannel(channelId)) return false;
    if (!channel.inviteOnly || channel.historyPublicToSubscribers) return true;
    return this.subscriptions.get(channelId)?.some(({ periods }) => isWithin(periods, message)) === true;
  }

  /** Returns the messages that are included. Loads their channels. */
  async filterMessages(messages: readonly (Message | undefined)[]): Promise<Message[]> {
    const found = messages.filter((message) => message !== undefined);
    await this.load(found.flatMap(({ channelId }) => channelId ?? []));
    return found.filter((message) => this.includes(message));
  }
}
