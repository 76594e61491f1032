import { mayHaveContent } from "../channels/content.ts";
import { mayReadContent } from "../channels/rules.ts";
import { newestOf } from "../channels/topics.ts";
import { emojiUrl } from "../emoji/urls.ts";
import { uploadFacts } from "../files/facts.ts";
import { systemGroups } from "../groups/system.ts";
import { linkifiersOf } from "../linkifiers/access.ts";
import type { RenderContext } from "../markdown/context.ts";
import type { Realm } from "../organization/access.ts";
import { realmId } from "../settings.ts";
import { type Channel, findChannelIdsByName, findChannels } from "../store/channels.ts";
import { listEmoji } from "../store/emoji.ts";
import { findGroupIdsByName, findGroups } from "../store/groups.ts";
import { findSubscription, type Subscription } from "../store/subscriptions.ts";
import { findTopics, type Topic } from "../store/topics.ts";
import { findUsers, findUsersByName, type User } from "../store/users.ts";
import type { Caller } from "../users/caller.ts";
import { isProtected } from "./periods.ts";

/** Whoever writes a text: what they cannot see, the text does not link. */
export type Author = Pick<Caller, "id" | "role" | "joinedAt" | "groupIds">;

/** Namesakes beyond these are only found by ID. */
const mostNamesakes = 10;

/**
 * What the renderer asks of the organization, as `author` sees it; without one (the organization's bots), only what is
 * public. The `known` channels are seen in any case, and need not be stored yet.
 */
export function renderContext(realm: Realm, author: Author | undefined, known: readonly Channel[] = []): RenderContext {
  const visible = new Map<number, Visible>();
  return {
    realmId,
    emptyTopicDisplayName: realm.settings.empty_topic_display_name,
    defaultCodeLanguage: realm.settings.default_code_block_language,
    findUsers: async (names) =>
      (await Promise.all(names.map((name) => findUsersByName(name, mostNamesakes)))).flat().filter(isActive),
    findUsersById: async (ids) =>
      (await findUsers(ids))
        .filter(isPresent)
        .map(({ id, fullName, active }) => ({ id, fullName, isDeactivated: !active })),
    findGroups: async (names) => {
      const ids = (await findGroupIdsByName(names)).filter(isPresent);
      const groups = (await findGroups(ids)).filter(isPresent).filter(({ deactivated }) => !deactivated);
      return groups.map(({ id, name, isSystem }) => ({ id, name, isSystem, displayName: displayNameOf(id, name) }));
    },
    findChannels: async (names) => {
      const [ours, others] = split(names, known);
      const ids = (await findChannelIdsByName(others)).filter(isPresent);
      const channels = (await findChannels(ids)).filter(isPresent);
      const theirs = (await Promise.all(channels.map((channel) => visibleTo(author, channel)))).filter(isPresent);
      const found = [...ours.map((channel): Visible => ({ channel })), ...theirs];
      for (const one of found) visible.set(one.channel.id, one);
      return found.map(({ channel }) => channel);
    },
    latestInTopic: async (topics) => {
      const found = await findTopics(topics.map(({ channelId, topic }) => ({ channelId, name: topic })));
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
    uploads: uploadFacts,
  };
}

const isPresent = <T>(value: T | undefined): value is T => value !== undefined;
const isActive = ({ active }: User) => active;
const displayNameOf = (id: number, name: string) => systemGroups.find((group) => group.id === id)?.displayName ?? name;

/** The channels among `known` that are named, and the names of others. */
function split(names: readonly string[], known: readonly Channel[]): [Channel[], string[]] {
  const byName = new Map(known.map((channel) => [channel.name.toLowerCase(), channel]));
  const ours = names.map((name) => byName.get(name.toLowerCase()));
  return [ours.filter(isPresent), names.filter((_, index) => !ours[index])];
}

/** A channel that an author can see, with their subscription where that decides about what they see of it. */
interface Visible {
  channel: Channel;
  subscription?: Subscription | undefined;
}

async function visibleTo(author: Author | undefined, channel: Channel): Promise<Visible | undefined> {
  if (!author) return channel.inviteOnly ? undefined : { channel };
  if (mayReadContent(author, channel, undefined, () => false)) return { channel };
  const subscription = await findSubscription(author.id, channel.id);
  return (await mayHaveContent(author, channel, subscription)) ? { channel, subscription } : undefined;
}

/** A topic with the newest of its messages that the author can see. */
const newestFor = (place: Visible | undefined, topic: Topic): Topic | undefined | Promise<Topic | undefined> =>
  place && isProtected(place.channel) ? newestOf(topic, place.subscription?.periods ?? [], place.channel) : topic;
