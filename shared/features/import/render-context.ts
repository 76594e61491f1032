import { nameKey } from "../../base/name-key.ts";
import { effectiveSettings } from "../../base/schema/organization-settings.ts";
import { systemGroups } from "../../base/schema/system-groups.ts";
import { emojiUrl } from "../../core/emoji/urls.ts";
import type { RenderContext } from "../../core/markdown/context.ts";
import { loadUploadMetadata } from "../../messaging/uploads/link-metadata.ts";
import type { Channel } from "../../store/channels/channels.ts";
import type { OrganizationEmoji } from "../../store/organization/emoji.ts";
import type { Upload } from "../../store/organization/uploads.ts";
import type { ImportPlan } from "./plan.ts";

/** What the renderer needs, from the plan: the table's indexes may lag behind. */
export class RenderContexts {
  readonly #plan: ImportPlan;
  readonly #channels = new Map<string, { channel: Channel; subscriberIds: Set<number> }>();
  readonly #usersByName: Map<string, { id: number; fullName: string }[]>;
  readonly #groups: Map<string, { id: number; name: string; isSystem: boolean; displayName: string }>;
  readonly #topics: Map<string, number>;

  constructor(plan: ImportPlan) {
    this.#plan = plan;
    for (const { channel, subscriptions } of plan.channels)
      this.#channels.set(nameKey(channel.name), {
        channel,
        subscriberIds: new Set(channel.inviteOnly ? subscriptions.map(({ userId }) => userId) : []),
      });
    this.#usersByName = Map.groupBy(
      plan.members.filter(({ deactivated }) => !deactivated),
      ({ fullName }) => nameKey(fullName),
    );
    const groups = [
      ...systemGroups.map((group) => ({ ...group, isSystem: true })),
      ...plan.groups.filter(({ deactivated }) => !deactivated).map((group) => ({ ...group, displayName: group.name })),
    ];
    this.#groups = new Map(
      groups.map(({ id, name, displayName, isSystem }) => [nameKey(name), { id, name, displayName, isSystem }]),
    );
    this.#topics = new Map(plan.topics.map(({ channelId, name, maxId }) => [topicKey(channelId, name), maxId]));
  }

  /** For a text of an author; without one, of the organization. */
  for(
    authorId: number | undefined,
    emoji: readonly OrganizationEmoji[] = [],
    uploads: readonly Upload[] = [],
  ): RenderContext {
    const { members, organization, details } = this.#plan;
    const settings = effectiveSettings(organization.settings ?? {});
    const translateEmoticons = authorId !== undefined && details.settings.get(authorId)?.translate_emoticons === true;
    return {
      translateEmoticons,
      emptyTopicDisplayName: settings.empty_topic_display_name,
      previewsMedia: settings.inline_image_preview,
      defaultCodeLanguage: settings.default_code_block_language,
      findUsers: async (names) => names.flatMap((name) => this.#usersByName.get(nameKey(name)) ?? []),
      findUsersById: async (ids) =>
        ids.flatMap((id) => {
          const member = members[id - 1];
          return member ? [{ id, fullName: member.fullName, isDeactivated: member.deactivated === true }] : [];
        }),
      findGroups: async (names) => names.flatMap((name) => this.#groups.get(nameKey(name)) ?? []),
      findGroupsById: async (ids) => [...this.#groups.values()].filter(({ id }) => ids.includes(id)),
      findChannels: async (names) =>
        [...new Set(names.map(nameKey))].flatMap((name) => {
          const found = this.#channels.get(name);
          const isVisible =
            found && (!found.channel.inviteOnly || (authorId !== undefined && found.subscriberIds.has(authorId)));
          return isVisible ? found.channel : [];
        }),
      latestMessageIdInTopic: async (wanted) =>
        wanted.map(({ channelId, topic }) => this.#topics.get(topicKey(channelId, topic))),
      realmEmoji: async () =>
        emoji
          .filter(({ deactivated }) => !deactivated)
          .map(({ id, name, path, stillPath }) => ({
            ...{ id: String(id), name, sourceUrl: emojiUrl(path) },
            stillUrl: stillPath === undefined ? null : emojiUrl(stillPath),
          })),
      linkifiers: async () => details.linkifiers,
      uploads: (links) =>
        loadUploadMetadata(links, async (pathIds) =>
          pathIds.map((wanted) => uploads.find(({ pathId }) => pathId === wanted)),
        ),
    };
  }
}

const topicKey = (channelId: number, topic: string) => `${channelId}#${topic.toLowerCase()}`;
