import { serverUrl } from "../../../base/environment.ts";
import { limits } from "../../../base/limits.ts";
import { nameKey } from "../../../base/name-key.ts";
import { systemGroups } from "../../../base/schema/system-groups.ts";
import { isContentReadable } from "../../../core/channels/content-permissions.ts";
import { isProtected } from "../../../core/channels/periods.ts";
import { mayReadContent } from "../../../core/channels/rules.ts";
import { findNewestVisible, findTopic } from "../../../core/channels/topics.ts";
import { emojiUrl } from "../../../core/emoji/urls.ts";
import { getLinkifiers } from "../../../core/linkifiers/linkifiers.ts";
import type { NamedGroup, RenderContext } from "../../../core/markdown/context.ts";
import {
  channelWildcards,
  possibleChannelNames,
  possibleUserNames,
  readUserName,
  topicWildcards,
} from "../../../core/markdown/inline/mention-syntax.ts";
import { accessibleAmong } from "../../../services/identity/accessible.ts";
import type { Caller } from "../../../services/identity/caller.ts";
import type { Realm } from "../../../services/organization/access.ts";
import { type Channel, findChannelIdsByName, findChannels } from "../../../store/channels/channels.ts";
import { findSubscription, type Subscription } from "../../../store/channels/subscriptions.ts";
import type { Topic } from "../../../store/channels/topics.ts";
import { listEmoji } from "../../../store/organization/emoji.ts";
import { findGroupIdsByName, findGroups } from "../../../store/organization/groups.ts";
import { findUsers, findUsersByName, type User } from "../../../store/users/users.ts";
import { loadUploadMetadata } from "../../uploads/link-metadata.ts";

/** The author of the content. The renderer links only to what the author can see. */
export type Author = Pick<Caller, "id" | "role" | "joinedAt" | "groupIds">;

/** If more users share a name, the others can only be mentioned by ID. */
const maxNamesakes = 10;

/** At most this many names of a kind are looked up in advance: whoever asks need not have an account. */
const maxPrefetched = 5;

/** Reads the users and channels that a text may name, before the author is known. What it does not name after all is read in vain. */
export async function readNamed(unchecked: string): Promise<void> {
  const text = unchecked.slice(0, limits.messageLength);
  const namesIn = (pattern: RegExp) =>
    [...new Set([...text.matchAll(pattern)].map(([, name = ""]) => name))].slice(0, maxPrefetched);
  const users = namesIn(possibleUserNames())
    .filter((name) => !channelWildcards.has(name) && !topicWildcards.has(name))
    .map(readUserName);
  const readChannels = async (names: readonly string[]) =>
    findChannels((await findChannelIdsByName(names)).filter(isPresent));
  await Promise.all([
    ...users.map(({ id, fullName = "" }) =>
      id === undefined ? findUsersByName(fullName, maxNamesakes) : findUsers([id]),
    ),
    readChannels(namesIn(possibleChannelNames())),
  ]);
}

/**
 * Gives the renderer access to the organization as `author` sees it; without an author (system bots), only to what is
 * public. The channels in `alwaysVisible` need not be visible to the author, nor stored yet.
 */
export function renderContext(
  realm: Realm,
  author: Author | undefined,
  alwaysVisible: readonly Channel[] = [],
): RenderContext {
  const visibleById = new Map<number, VisibleChannel>();
  return {
    realmUrl: serverUrl(),
    emptyTopicDisplayName: realm.settings.empty_topic_display_name,
    previewsMedia: realm.settings.inline_image_preview,
    defaultCodeLanguage: realm.settings.default_code_block_language,
    findUsers: async (names) => {
      const users = (await Promise.all(names.map((name) => findUsersByName(name, maxNamesakes)))).flat();
      return accessibleTo(author, users, realm);
    },
    findUsersById: async (ids) => {
      const users = await accessibleTo(author, (await findUsers(ids)).filter(isPresent), realm);
      return users.map(({ id, fullName, active }) => ({ id, fullName, isDeactivated: !active }));
    },
    findGroups: async (names) => findNamedGroups((await findGroupIdsByName(names)).filter(isPresent)),
    findGroupsById: findNamedGroups,
    findChannels: async (names) => {
      const [given, otherNames] = splitNames(names, alwaysVisible);
      const ids = (await findChannelIdsByName(otherNames)).filter(isPresent);
      const stored = (await findChannels(ids)).filter(isPresent);
      const visibleStored = await Promise.all(stored.map((channel) => findVisible(author, channel)));
      const visible = [...given.map((channel): VisibleChannel => ({ channel })), ...visibleStored.filter(isPresent)];
      for (const item of visible) visibleById.set(item.channel.id, item);
      return visible.map(({ channel }) => channel);
    },
    latestMessageIdInTopic: async (topics) => {
      const records = await Promise.all(topics.map(({ channelId, topic }) => findTopic(channelId, topic)));
      const visible = await Promise.all(
        records.map((record) => record && withNewestVisible(visibleById.get(record.channelId), record)),
      );
      return visible.map((topic) => topic?.maxId);
    },
    realmEmoji: async () =>
      (await listEmoji())
        .filter(({ deactivated }) => !deactivated)
        .map(({ id, name, path, stillPath }) => ({
          id: String(id),
          name,
          sourceUrl: emojiUrl(path),
          stillUrl: stillPath === undefined ? null : emojiUrl(stillPath),
        })),
    linkifiers: () => getLinkifiers(realm),
    uploads: loadUploadMetadata,
  };
}

const isPresent = <T>(value: T | undefined): value is T => value !== undefined;

async function findNamedGroups(ids: readonly number[]): Promise<NamedGroup[]> {
  const groups = (await findGroups(ids)).filter(isPresent).filter(({ deactivated }) => !deactivated);
  return groups.map(({ id, name, isSystem }) => ({ id, name, isSystem, displayName: displayNameOf(id, name) }));
}

const displayNameOf = (id: number, name: string) => systemGroups.find((group) => group.id === id)?.displayName ?? name;

/** The users whose names the author may know: rendering a user's ID must not reveal the name to a guest with limited access. */
async function accessibleTo(author: Author | undefined, users: User[], realm: Realm): Promise<User[]> {
  return author ? accessibleAmong(author, users, realm) : users;
}

/** Splits names into the given channels that have them, and the names of other channels. */
function splitNames(names: readonly string[], channels: readonly Channel[]): [Channel[], string[]] {
  const byName = new Map(channels.map((channel) => [nameKey(channel.name), channel]));
  const given = names.map((name) => byName.get(nameKey(name)));
  return [given.filter(isPresent), names.filter((_, index) => !given[index])];
}

/** A channel that the author can see, with their subscription if it limits what they see. */
interface VisibleChannel {
  channel: Channel;
  subscription?: Subscription | undefined;
}

async function findVisible(author: Author | undefined, channel: Channel): Promise<VisibleChannel | undefined> {
  if (!author) return channel.inviteOnly ? undefined : { channel };
  if (mayReadContent(author, channel, undefined, () => false)) return { channel };
  const subscription = await findSubscription(author.id, channel.id);
  return (await isContentReadable(author, channel, subscription)) ? { channel, subscription } : undefined;
}

/** A topic's record with the newest message that the author can see as its newest. */
const withNewestVisible = (
  visible: VisibleChannel | undefined,
  topic: Topic,
): Topic | undefined | Promise<Topic | undefined> =>
  visible && isProtected(visible.channel)
    ? findNewestVisible(topic, visible.subscription?.periods ?? [], visible.channel)
    : topic;
