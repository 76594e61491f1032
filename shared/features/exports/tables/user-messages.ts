import { mapInBatches } from "../../../base/batches.ts";
import { hasAlertWord, readAlertWordsOf } from "../../../messaging/messages/flags/alert-words.ts";
import { isReadBySending } from "../../../messaging/messages/flags/flags.ts";
import { mentionedGroups, mentionedUsers, mentionsChannel } from "../../../messaging/messages/html-facts.ts";
import { wasSubscribed } from "../../../messaging/messages/reader.ts";
import { isPermitted, type PermissionHolder } from "../../../services/permissions/rules.ts";
import { findSubscriptionsTo, type Subscription } from "../../../store/channels/subscriptions.ts";
import { findFlags } from "../../../store/messages/message-flags.ts";
import type { Message } from "../../../store/messages/messages.ts";
import { findReadMarks } from "../../../store/messages/read-state.ts";
import { findGroupGraph, type GroupGraph, listGroups } from "../../../store/organization/groups.ts";
import { type Context, oncePerStep } from "../context.ts";

/** The bits of a row's flags, in Zulip's order. */
const bitsOfFlags = {
  read: 1,
  starred: 2,
  collapsed: 4,
  mentioned: 8,
  stream_wildcard_mentioned: 16,
  topic_wildcard_mentioned: 32,
  group_mentioned: 64,
  has_alert_word: 512,
  historical: 1024,
  is_private: 2048,
} as const;

/** Far more than a file has, so that the IDs of all files' rows differ. */
const maxRowsPerFile = 100_000_000;
/** So many users' flags, or channels' subscriptions, are read at a time. */
const [usersPerBatch, channelsPerBatch] = [25, 5];

/** Who, of those who consent, received a message: in a channel, whoever was subscribed then. */
class Recipients {
  private readonly consentingIds: readonly number[];
  private readonly consenting: ReadonlySet<number>;
  /** By channel: the consenting users' subscriptions, former ones included. */
  private readonly subscriptions = new Map<number, Subscription[]>();

  constructor({ consentingIds }: Pick<Context, "consentingIds">) {
    this.consentingIds = consentingIds;
    this.consenting = new Set(consentingIds);
  }

  /** Loads the channels of messages: 0.5 read units for each consenting user and channel. */
  async load(messages: readonly Message[]): Promise<void> {
    const channelIds = new Set(messages.flatMap(({ channelId }) => channelId ?? []));
    const unknown = [...channelIds].filter((channelId) => !this.subscriptions.has(channelId));
    await mapInBatches(unknown, channelsPerBatch, async (channelId) => {
      const found = await findSubscriptionsTo(channelId, this.consentingIds);
      this.subscriptions.set(
        channelId,
        found.filter((subscription) => subscription !== undefined),
      );
    });
  }

  of({ id, channelId, userIds = [] }: Message): number[] {
    if (channelId === undefined) return [...new Set(userIds)].filter((userId) => this.consenting.has(userId));
    const subscriptions = this.subscriptions.get(channelId) ?? [];
    return subscriptions.filter((subscription) => wasSubscribed(subscription, id)).map(({ userId }) => userId);
  }
}

export const recipientsOf = oncePerStep((context) => new Recipients(context));
const usersById = oncePerStep(({ users }) => new Map(users.map((user) => [user.id, user])));
const alertWords = oncePerStep(() => new Map<number, Promise<string[]>>());

/** A user's alert words, read once in a step. */
function alertWordsOf(userId: number, context: Context): Promise<string[]> {
  const known = alertWords(context);
  const words = known.get(userId) ?? readAlertWordsOf(userId);
  known.set(userId, words);
  return words;
}

/**
 * The rows of `zerver_usermessage`: a consenting user's flags on the messages that they received, or have starred or collapsed.
 * At most 1.5 read units for each consenting user.
 */
export async function userMessageRows(messages: readonly Message[], recipients: Recipients, context: Context) {
  const { consentingIds, lists } = context;
  if (consentingIds.length === 0) return [];
  const receivedBy = new Map<number, Set<number>>();
  for (const message of messages)
    for (const userId of recipients.of(message))
      receivedBy.set(userId, (receivedBy.get(userId) ?? new Set()).add(message.id));
  const isMember = await loadMemberships(messages, context);
  const ids = messages.map(({ id }) => id);
  const rows = await mapInBatches(consentingIds, usersPerBatch, async (userId) => {
    const user = usersById(context).get(userId);
    const received = receivedBy.get(userId) ?? new Set<number>();
    const [sparse, marks, words] = await Promise.all([
      findFlags(userId, ids),
      findReadMarks(userId, ids),
      received.size > 0 ? alertWordsOf(userId, context) : [],
    ]);
    return messages.flatMap((message) => {
      const stored = sparse.get(message.id);
      const isReceived = received.has(message.id);
      if (!user || !(isReceived || stored?.has("starred") || stored?.has("collapsed"))) return [];
      const groupMentioned = isReceived && mentionedGroups(message).some((group) => isMember(user.id, group));
      const flags: Record<keyof typeof bitsOfFlags, boolean> = {
        read: marks.of(message.id) ?? (isReadBySending(message, userId) || !isReceived),
        starred: stored?.has("starred") === true,
        collapsed: stored?.has("collapsed") === true,
        mentioned: groupMentioned || (isReceived && mentionedUsers(message).includes(userId)),
        stream_wildcard_mentioned: isReceived && message.channelId !== undefined && mentionsChannel(message),
        topic_wildcard_mentioned: isReceived && stored?.has("topic_wildcard_mentioned") === true,
        group_mentioned: groupMentioned,
        has_alert_word: isReceived && hasAlertWord(message, words),
        historical: !isReceived,
        is_private: message.channelId === undefined,
      };
      const names = Object.keys(flags) as (keyof typeof bitsOfFlags)[];
      const mask = names.reduce((sum, name) => sum + (flags[name] ? bitsOfFlags[name] : 0), 0);
      return [{ user_profile: userId, message: message.id, flags_mask: mask }];
    });
  });
  const firstId = lists.count("messages") * maxRowsPerFile + 1;
  return rows.flat().map((row, index) => ({ id: firstId + index, ...row }));
}

/** Whether a user is a member of a group; reads the groups only if a message mentions one. */
async function loadMemberships(
  messages: readonly Message[],
  context: Context,
): Promise<(userId: number, group: number) => boolean> {
  if (!messages.some((message) => mentionedGroups(message).length > 0)) return () => false;
  const [graph, groups]: [GroupGraph, Awaited<ReturnType<typeof listGroups>>] = await Promise.all([
    findGroupGraph(),
    listGroups(),
  ]);
  return (userId, group) => {
    const user = usersById(context).get(userId);
    if (!user) return false;
    const groupIds = new Set(groups.filter(({ members }) => members?.has(userId)).map(({ id }) => id));
    const holder: PermissionHolder = { id: userId, role: user.role, joinedAt: user.joinedAt, groupIds };
    return isPermitted(holder, group, graph, context.realm.settings.waiting_period_threshold);
  };
}
