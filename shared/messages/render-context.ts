import { mayHaveContent } from "../channels/content.ts";
import { mayReadContent } from "../channels/rules.ts";
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
import { findSubscription } from "../store/subscriptions.ts";
import { findTopics } from "../store/topics.ts";
import { findUsers, findUsersByName, type User } from "../store/users.ts";
import type { Caller } from "../users/caller.ts";

/** Whoever writes a text: what they cannot see, the text does not link. */
export type Author = Pick<Caller, "id" | "role" | "joinedAt" | "groupIds">;

/** Namesakes beyond these are only found by ID. */
const mostNamesakes = 10;

/** What the renderer asks of the organization, as `author` sees it; without one (the organization's bots), only what is public. */
export const renderContext = (realm: Realm, author: Author | undefined): RenderContext => ({
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
    const ids = (await findChannelIdsByName(names)).filter(isPresent);
    const channels = (await findChannels(ids)).filter(isPresent);
    return (await Promise.all(channels.map((channel) => visibleTo(author, channel)))).flat();
  },
  latestInTopic: async (topics) => {
    const found = await findTopics(topics.map(({ channelId, topic }) => ({ channelId, name: topic })));
    return found.map((topic) => topic?.maxId);
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
});

const isPresent = <T>(value: T | undefined): value is T => value !== undefined;
const isActive = ({ active }: User) => active;
const displayNameOf = (id: number, name: string) => systemGroups.find((group) => group.id === id)?.displayName ?? name;

async function visibleTo(author: Author | undefined, channel: Channel): Promise<Channel[]> {
  if (!author) return channel.inviteOnly ? [] : [channel];
  const openToAll = mayReadContent(author, channel, undefined, () => false);
  const visible = openToAll || (await mayHaveContent(author, channel, await findSubscription(author.id, channel.id)));
  return visible ? [channel] : [];
}
