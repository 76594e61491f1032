import { batchesOf } from "../../base/batches.ts";
import { type ApiError, badRequest, channelAlreadyExists, insufficientPermission } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { nameKey } from "../../base/name-key.ts";
import type { Need } from "../../base/needs.ts";
import { listAccessByName } from "../../core/channels/channel-access.ts";
import { defaultPermissions } from "../../core/channels/defaults.ts";
import { type ChannelAccess, hasContentAccess, mayAddSubscribers, maySubscribe } from "../../core/channels/rules.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { countCreations } from "../../services/identity/creation-counts.ts";
import type { Realm } from "../../services/organization/access.ts";
import { hasPermission } from "../../services/permissions/access.ts";
import { type Channel, findChannelIdsByName, findChannels } from "../../store/channels/channels.ts";
import { ConditionFailed } from "../../store/table/transactions.ts";
import type { User } from "../../store/users/users.ts";
import {
  type CreationParams,
  checkChannelDescription,
  checkChannelName,
  checkCreation,
} from "../channels/check-creation.ts";
import { addChannel, type ChannelSettings } from "../channels/create.ts";
import { composeAnnouncement, composeFirstNotice } from "../channels/notices.ts";
import { subscribeAndNotify } from "./notify-subscribed.ts";
import { subscribe } from "./subscribe.ts";

interface RequestedChannel {
  name: string;
  description: string;
  color?: string | undefined;
}

export const maxRequestedChannels = 100;
const maxConcurrentChannels = 5;

interface SubscribeResult {
  /** Names of channels by ID of the newly subscribed user. */
  subscribed: Map<number, string[]>;
  alreadySubscribed: Map<number, string[]>;
  unauthorized: string[];
  /** Whether the users are notified; not if there are too many. */
  notified: boolean;
}

/** Parameters besides users and channels; `notifyUsers`: notify users whom somebody else subscribes. */
type AddParams = CreationParams & { authorization_errors_fatal: boolean; notifyUsers: boolean };

export function checkChangesSomething(changes: { add: readonly unknown[]; delete: readonly unknown[] }): void {
  if (changes.add.length === 0 && changes.delete.length === 0)
    throw badRequest('Nothing to do. Specify at least one of "add" or "delete".');
}

/** The channels that a request names in `subscriptions`. */
export const requestedChannels: Need<RequestedChannel[], { params: { subscriptions: RequestedChannel[] } }> = {
  early: async (sent) => {
    const ids = await findChannelIdsByName((sent("subscriptions") ?? []).map(({ name }) => name.trim()));
    await findChannels(ids.filter((id) => id !== undefined));
  },
  load: async ({ params }) => checkRequestedChannels(params.subscriptions),
};

/** Checks the channels and removes case-insensitive duplicates; the first spelling wins. */
export function checkRequestedChannels(subscriptions: readonly RequestedChannel[]): RequestedChannel[] {
  const requested = subscriptions.map(({ name, description, color }) => ({
    name: checkChannelName(name),
    description: checkChannelDescription(description),
    color: color === undefined ? undefined : checkColor(color),
  }));
  return [...Map.groupBy(requested, ({ name }) => nameKey(name)).values()].flatMap(([first]) => first ?? []);
}

export function checkColor(color: string): string {
  if (!/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(color)) throw badRequest("color is not a valid hex color code");
  return color;
}

/**
 * Subscribes users to channels and creates missing channels. All checks come first, so that a refused request changes
 * nothing; an interrupted one is completed by repeating it. See https://zulip.com/api/subscribe.
 */
export async function addSubscriptions(
  caller: Caller,
  requested: readonly RequestedChannel[],
  people: readonly User[],
  params: AddParams,
  realm: Realm,
  creator: NamedUser,
): Promise<SubscribeResult> {
  const { existing, missing, unauthorized } = await accessRequestedChannels(caller, requested, people, params, realm);
  const result: SubscribeResult = { subscribed: new Map(), alreadySubscribed: new Map(), unauthorized, notified: true };
  const addName = (map: Map<number, string[]>, id: number, name: string) => {
    const names = map.get(id);
    if (names) names.push(name);
    else map.set(id, [name]);
  };
  const ids = people.map(({ id }) => id);
  await countCreations(caller, "channel", missing.length);
  for (const { channel, settings } of missing) {
    const newChannel = await createOrFind(creator, channel, settings, ids, params.announce, realm);
    if (newChannel) {
      for (const id of ids) addName(result.subscribed, id, newChannel.name);
    } else {
      // The channel was created concurrently: check access to it as to an existing one.
      const retried = await accessRequestedChannels(caller, [channel], people, params, realm);
      existing.push(...retried.existing);
      unauthorized.push(...retried.unauthorized);
    }
  }
  const channels = existing.map(({ channel }) => channel);
  const subscribeAll = async () => {
    // Batches of one channel update the same counter and run in sequence; different channels run in parallel.
    for (const chunk of batchesOf(existing, maxConcurrentChannels)) {
      const subscribedByChannel = await Promise.all(
        chunk.map(({ channel, color }) => subscribe(channel, ids, (id) => (id === caller.id ? color : undefined))),
      );
      for (const [index, { channel }] of chunk.entries()) {
        const subscribedIds = new Set(subscribedByChannel[index]);
        for (const id of ids)
          addName(subscribedIds.has(id) ? result.subscribed : result.alreadySubscribed, id, channel.name);
      }
    }
    return { ...result, notified: result.subscribed.size <= limits.bulkNewSubscriptionMessages };
  };
  return params.notifyUsers
    ? subscribeAndNotify(caller, people, channels, subscribeAll, (end) => end.notified && end.subscribed.size > 0)
    : subscribeAll();
}

interface AccessedChannels {
  existing: { channel: Channel; color: string | undefined }[];
  missing: { channel: RequestedChannel; settings: ChannelSettings }[];
  unauthorized: string[];
}

async function accessRequestedChannels(
  caller: Caller,
  requested: readonly RequestedChannel[],
  people: readonly User[],
  params: CreationParams & { authorization_errors_fatal: boolean },
  realm: Realm,
): Promise<AccessedChannels> {
  const forSelf = people.some(({ id }) => id === caller.id);
  const forOthers = people.some(({ id }) => id !== caller.id);
  const mayAddEverywhere =
    forOthers && (await hasPermission(caller, realm.settings.can_add_subscribers_group, realm.settings));
  const accesses = await listAccessByName(
    caller,
    requested.map(({ name }) => name),
    realm,
  );
  const result: AccessedChannels = { existing: [], missing: [], unauthorized: [] };
  for (const [index, channel] of requested.entries()) {
    const access = accesses[index];
    if (!access) continue;
    const refusal = findRefusal(access, forSelf, forOthers, mayAddEverywhere);
    if (refusal && params.authorization_errors_fatal) throw refusal;
    if (refusal) result.unauthorized.push(access.channel.name);
    else result.existing.push({ channel: access.channel, color: channel.color });
  }
  const missing = requested.filter((_, index) => !accesses[index]);
  if (missing.length > 0) {
    const settings = await checkCreation(caller, params, realm);
    if (forOthers && !mayAddEverywhere) await checkMayAddFirstSubscribers(caller, settings, realm);
    result.missing = missing.map((channel) => ({ channel, settings }));
  }
  return result;
}

function findRefusal(
  access: ChannelAccess,
  forSelf: boolean,
  forOthers: boolean,
  mayAddEverywhere: boolean,
): ApiError | undefined {
  const { channel, subscription } = access;
  if (channel.isArchived || !hasContentAccess(access)) return badRequest(`Unable to access channel (${channel.name}).`);
  if (forSelf && !subscription?.active && !maySubscribe(access))
    return badRequest(`Unable to access channel (${channel.name}).`);
  return forOthers && !mayAddSubscribers(access, mayAddEverywhere) ? insufficientPermission() : undefined;
}

/** Checks that the creator of a channel may subscribe others, by the permissions that the new channel gets. */
export async function checkMayAddFirstSubscribers(
  caller: Caller,
  { permissions }: Pick<ChannelSettings, "permissions">,
  { settings }: Realm,
): Promise<void> {
  const channelPermissions = { ...defaultPermissions(caller.id), ...permissions };
  if (await hasPermission(caller, settings.can_add_subscribers_group, settings)) return;
  if (await hasPermission(caller, channelPermissions.can_administer_channel_group, settings)) return;
  if (!(await hasPermission(caller, channelPermissions.can_add_subscribers_group, settings)))
    throw insufficientPermission();
}

type NamedUser = Pick<User, "id" | "fullName">;

/** Creates a channel with its subscribers, first message and announcement; throws a 409 if the name was taken meanwhile. */
export async function createChannelWithSubscribers(...args: Parameters<typeof createOrFind>): Promise<Channel> {
  const channel = await createOrFind(...args);
  if (!channel) throw channelAlreadyExists(args[1].name);
  return channel;
}

/** Like `createChannelWithSubscribers`, but returns undefined when the name was taken meanwhile. */
async function createOrFind(
  creator: NamedUser,
  { name, description, color }: RequestedChannel,
  settings: ChannelSettings,
  subscriberIds: readonly number[],
  announce: boolean,
  realm: Realm,
): Promise<Channel | undefined> {
  try {
    return await addChannel({ ...settings, name, description }, creator.id, subscriberIds, {
      colors: new Map(color ? [[creator.id, color]] : []),
      announce: async (channel) => [
        await composeFirstNotice(realm, channel, creator),
        ...(announce ? await composeAnnouncement(realm, channel, creator) : []),
      ],
    });
  } catch (error) {
    if (error instanceof ConditionFailed) return undefined;
    throw error;
  }
}
