import { isContentReadable } from "../../channels/content-permissions.ts";
import { isProtected } from "../../channels/periods.ts";
import { mayReadContent } from "../../channels/rules.ts";
import { findNewestVisible, findTopic } from "../../channels/topics.ts";
import { emojiUrl } from "../../emoji/urls.ts";
import { type Caller, isBot } from "../../identity/caller.ts";
import { realmId, serverUrl } from "../../limits.ts";
import { linkifiersOf } from "../../linkifiers/access.ts";
import type { RenderContext } from "../../markdown/context.ts";
import type { Realm } from "../../organization/access.ts";
import { systemGroups } from "../../schema/system-groups.ts";
import { type Channel, findChannelIdsByName, findChannels } from "../../store/channels/channels.ts";
import { findSubscription, type Subscription } from "../../store/channels/subscriptions.ts";
import type { Topic } from "../../store/channels/topics.ts";
import { listEmoji } from "../../store/organization/emoji.ts";
import { findGroupIdsByName, findGroups } from "../../store/organization/groups.ts";
import { findUsers, findUsersByName, type User } from "../../store/users/users.ts";
import { loadUploadMetadata } from "../../uploads/link-metadata.ts";
import { accessibleUsers } from "../../users/accessible.ts";

/** The author of the content, which is rendered with links only to what its author can see. */
export type Author = Pick<Caller, "id" | "role" | "joinedAt" | "groupIds">;

/** Users with the same name beyond these can only be mentioned by ID. */
const maxNamesakes = 10;

/**
 * Gives the renderer access to the organization as `author` sees it; without an author (system bots), only to what is
 * public. Channels in `known` are visible in any case and need not be stored yet.
 */
export function renderContext(realm: Realm, author: Author | undefined, known: readonly Channel[] = []): RenderContext {
  const visible = new Map<number, VisibleChannel>();
  return {
    realmId,
    realmUrl: serverUrl(),
    emptyTopicDisplayName: realm.settings.empty_topic_display_name,
    previewsMedia: realm.settings.inline_image_preview,
    defaultCodeLanguage: realm.settings.default_code_block_language,
    findUsers: async (names) => {
      const users = (await Promise.all(names.map((name) => findUsersByName(name, maxNamesakes)))).flat();
      return accessibleTo(author, users.filter(isActive), realm);
    },
    findUsersById: async (ids) => {
      const users = await accessibleTo(author, (await findUsers(ids)).filter(isPresent), realm);
      return users.map(({ id, fullName, active }) => ({ id, fullName, isDeactivated: !active }));
    },
    findGroups: async (names) => {
      const ids = (await findGroupIdsByName(names)).filter(isPresent);
      const groups = (await findGroups(ids)).filter(isPresent).filter(({ deactivated }) => !deactivated);
      return groups.map(({ id, name, isSystem }) => ({ id, name, isSystem, displayName: displayNameOf(id, name) }));
    },
    findChannels: async (names) => {
      const [ours, others] = split(names, known);
      const ids = (await findChannelIdsByName(others)).filter(isPresent);
      const channels = (await findChannels(ids)).filter(isPresent);
      const theirs = (await Promise.all(channels.map((channel) => findVisible(author, channel)))).filter(isPresent);
      const found = [...ours.map((channel): VisibleChannel => ({ channel })), ...theirs];
      for (const one of found) visible.set(one.channel.id, one);
      return found.map(({ channel }) => channel);
    },
    latestMessageIdInTopic: async (topics) => {
      const found = await Promise.all(topics.map(({ channelId, topic }) => findTopic(channelId, topic)));
      const shown = await Promise.all(found.map((topic) => topic && newestFor(visible.get(topic.channelId), topic)));
      return shown.map((topic) => topic?.maxId);
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
    linkifiers: () => linkifiersOf(realm),
    uploads: loadUploadMetadata,
  };
}

const isPresent = <T>(value: T | undefined): value is T => value !== undefined;
const isActive = ({ active }: User) => active;
const displayNameOf = (id: number, name: string) => systemGroups.find((group) => group.id === id)?.displayName ?? name;

/** The users that the author may know of: rendering a user ID must not reveal the name to a restricted guest. */
async function accessibleTo(author: Author | undefined, users: User[], realm: Realm): Promise<User[]> {
  if (!author || users.length === 0) return users;
  const known = await accessibleUsers(author, realm);
  return known ? users.filter((user) => isBot(user) || known.has(user.id)) : users;
}

/** Splits names into those of `known` channels and others. */
function split(names: readonly string[], known: readonly Channel[]): [Channel[], string[]] {
  const byName = new Map(known.map((channel) => [channel.name.toLowerCase(), channel]));
  const ours = names.map((name) => byName.get(name.toLowerCase()));
  return [ours.filter(isPresent), names.filter((_, index) => !ours[index])];
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

/** A topic with the newest message that the author can see. */
const newestFor = (
  visible: VisibleChannel | undefined,
  topic: Topic,
): Topic | undefined | Promise<Topic | undefined> =>
  visible && isProtected(visible.channel)
    ? findNewestVisible(topic, visible.subscription?.periods ?? [], visible.channel)
    : topic;
