import { type ApiError, badRequest } from "../errors.ts";
import { hasPermission } from "../groups/access.ts";
import type { Realm } from "../organization/access.ts";
import { limits } from "../settings.ts";
import type { Channel } from "../store/channels.ts";
import { ConditionFailed } from "../store/transactions.ts";
import type { User } from "../store/users.ts";
import type { Caller } from "../users/caller.ts";
import { profilesOf } from "../users/profiles.ts";
import { addChannel, type NewChannel } from "./actions.ts";
import {
  accessCreation,
  type CreationParams,
  checkChannelDescription,
  checkChannelName,
  insufficient,
} from "./creation.ts";
import { startingPermissions } from "./defaults.ts";
import { announcement, firstNotice } from "./notices.ts";
import { hasContentAccess, mayAddSubscribers, maySubscribe, type Standing } from "./rules.ts";
import { standingsToNamed } from "./standing.ts";
import { subscribe } from "./subscribe.ts";
import { beginTelling } from "./tell.ts";

export interface WantedChannel {
  name: string;
  description: string;
  color?: string | undefined;
}

/** What became of a request to subscribe people to channels. */
export interface Subscribed {
  /** Names of channels by the ID of the user who is subscribed to them now. */
  subscribed: Map<number, string[]>;
  alreadySubscribed: Map<number, string[]>;
  unauthorized: string[];
  /** Whether people are told of it: not where they are too many. */
  told: boolean;
}

/** What a request says beside people and channels; `telling`: those whom someone else subscribes are told. */
type AddParams = CreationParams & { authorization_errors_fatal: boolean; telling: boolean };

/** Checked names, each once whatever its case: as it is named first. */
export function checkWanted(subscriptions: readonly WantedChannel[]): WantedChannel[] {
  const wanted = subscriptions.map(({ name, description, color }) => ({
    name: checkChannelName(name),
    description: checkChannelDescription(description),
    color: color === undefined ? undefined : checkColor(color),
  }));
  return [...Map.groupBy(wanted, ({ name }) => name.toLowerCase()).values()].flatMap(([first]) => first ?? []);
}

/** A colour as it will be stored. */
export function checkColor(color: string): string {
  if (!/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(color)) throw badRequest("color is not a valid hex color code");
  return color;
}

/**
 * Subscribes people to channels and creates those that do not exist (4.2). All checks come first, so that a request
 * that is refused has changed nothing; one that dies half-way is completed by doing it again.
 */
export async function addSubscriptions(
  caller: Caller,
  wanted: readonly WantedChannel[],
  people: readonly User[],
  params: AddParams,
  realm: Realm,
  by: Named,
): Promise<Subscribed> {
  const { existing, missing, unauthorized } = await accessWanted(caller, wanted, people, params, realm);
  const result: Subscribed = { subscribed: new Map(), alreadySubscribed: new Map(), unauthorized, told: true };
  const note = (map: Map<number, string[]>, id: number, name: string) => {
    const names = map.get(id);
    if (names) names.push(name);
    else map.set(id, [name]);
  };
  const ids = people.map(({ id }) => id);
  for (const { channel, settings } of missing) {
    const created = await createOrFind(by, channel, settings, ids, params.announce, realm);
    if (created) {
      for (const id of ids) note(result.subscribed, id, created.name);
    } else {
      // Somebody else was faster: it exists now, and the same question has another answer.
      const later = await accessWanted(caller, [channel], people, params, realm);
      existing.push(...later.existing);
      unauthorized.push(...later.unauthorized);
    }
  }
  const channels = existing.map(({ channel }) => channel);
  const telling = params.telling ? await beginTelling(caller, people, channels) : undefined;
  // One channel after the other counts up one number; several channels do not get in each other's way.
  for (let start = 0; start < existing.length; start += 5) {
    const some = existing.slice(start, start + 5);
    const added = await Promise.all(
      some.map(({ channel, color }) => subscribe(channel, ids, (id) => (id === caller.id ? color : undefined))),
    );
    for (const [index, { channel }] of some.entries()) {
      const fresh = new Set(added[index]);
      for (const id of ids) note(fresh.has(id) ? result.subscribed : result.alreadySubscribed, id, channel.name);
    }
  }
  result.told = result.subscribed.size <= limits.bulkNewSubscriptionMessages;
  await (result.told && result.subscribed.size > 0 ? telling?.send() : telling?.drop());
  return result;
}

interface Accessed {
  existing: { channel: Channel; color: string | undefined }[];
  missing: { channel: WantedChannel; settings: Omit<NewChannel, "name" | "description"> }[];
  unauthorized: string[];
}

async function accessWanted(
  caller: Caller,
  wanted: readonly WantedChannel[],
  people: readonly User[],
  params: CreationParams & { authorization_errors_fatal: boolean },
  realm: Realm,
): Promise<Accessed> {
  const forSelf = people.some(({ id }) => id === caller.id);
  const forOthers = people.some(({ id }) => id !== caller.id);
  const everywhere =
    forOthers && (await hasPermission(caller, realm.settings.can_add_subscribers_group, realm.settings));
  const standings = await standingsToNamed(
    caller,
    wanted.map(({ name }) => name),
    realm,
  );
  const accessed: Accessed = { existing: [], missing: [], unauthorized: [] };
  for (const [index, channel] of wanted.entries()) {
    const standing = standings[index];
    if (!standing) continue;
    const refusal = refusalOf(standing, forSelf, forOthers, everywhere);
    if (refusal && params.authorization_errors_fatal) throw refusal;
    if (refusal) accessed.unauthorized.push(standing.channel.name);
    else accessed.existing.push({ channel: standing.channel, color: channel.color });
  }
  const missing = wanted.filter((_, index) => !standings[index]);
  if (missing.length > 0) {
    const settings = await accessCreation(caller, params, realm);
    if (forOthers && !everywhere) await checkMayFill(caller, settings, realm);
    accessed.missing = missing.map((channel) => ({ channel, settings }));
  }
  return accessed;
}

function refusalOf(
  standing: Standing,
  forSelf: boolean,
  forOthers: boolean,
  everywhere: boolean,
): ApiError | undefined {
  const { channel, subscription } = standing;
  if (channel.isArchived || !hasContentAccess(standing))
    return badRequest(`Unable to access channel (${channel.name}).`);
  if (forSelf && !subscription?.active && !maySubscribe(standing))
    return badRequest(`Unable to access channel (${channel.name}).`);
  return forOthers && !mayAddSubscribers(standing, everywhere) ? insufficient() : undefined;
}

/** Whether the creator of a channel may put others into it: by the channel's own permissions, as they will be. */
export async function checkMayFill(
  caller: Caller,
  { permissions }: Pick<NewChannel, "permissions">,
  { settings }: Realm,
): Promise<void> {
  const own = { ...startingPermissions(caller.id), ...permissions };
  if (await hasPermission(caller, settings.can_add_subscribers_group, settings)) return;
  if (await hasPermission(caller, own.can_administer_channel_group, settings)) return;
  if (!(await hasPermission(caller, own.can_add_subscribers_group, settings))) throw insufficient();
}

type Named = Pick<User, "id" | "fullName">;

/** The new channel with its subscribers, first message and announcement; undefined when the name was taken meanwhile. */
export async function createOrFind(
  creator: Named,
  { name, description, color }: WantedChannel,
  settings: Omit<NewChannel, "name" | "description">,
  subscriberIds: readonly number[],
  announce: boolean,
  realm: Realm,
): Promise<Channel | undefined> {
  try {
    return await addChannel({ ...settings, name, description }, creator.id, subscriberIds, {
      colors: new Map(color ? [[creator.id, color]] : []),
      announce: async (channel) => [
        await firstNotice(realm, channel, creator),
        ...(announce ? await announcement(realm, channel, creator) : []),
      ],
    });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    if (error.failed.includes(1)) return undefined;
    throw badRequest("A group or folder of the channel was deactivated at the same time; try again.");
  }
}

/** The caller as messages name them. */
export const namedCaller = async (caller: Caller, realm: Realm): Promise<Named> =>
  (await profilesOf([caller.id], realm.usersVersion)).get(caller.id) ?? { id: caller.id, fullName: caller.email };
