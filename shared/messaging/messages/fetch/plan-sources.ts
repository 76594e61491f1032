import { candidatePeriods } from "../../../core/channels/periods.ts";
import { isGuest } from "../../../services/identity/caller.ts";
import { type Channel, listChannels } from "../../../store/channels/channels.ts";
import type { Period } from "../../../store/channels/subscriptions.ts";
import { readHead } from "../../../store/log/log.ts";
import { channelPartition, conversationPartition, topicPartition } from "../../../store/messages/messages.ts";
import { readAlertWords } from "../flags/alert-words.ts";
import { listUnread } from "../flags/unread-list.ts";
import type { Reader } from "../reader.ts";
import { parseSearch } from "../search/query.ts";
import { searchOf } from "./narrow-predicates.ts";
import { searchSources } from "./search-sources.ts";
import {
  allMessagesSource,
  broadMentionsSource,
  directMessagesSource,
  listSource,
  mentionedSource,
  partitionSource,
  type Source,
  senderSource,
  starredSource,
  within,
} from "./sources.ts";
import type { ResolvedTerm } from "./terms.ts";

interface SourcePlan {
  sources: Source[];
  /** Whether only messages that the reader received match, not all that they may read. */
  receivedOnly: boolean;
}

type TermOf<K extends ResolvedTerm["kind"]> = Extract<ResolvedTerm, { kind: K }>;
type FindTerm = <K extends ResolvedTerm["kind"]>(kind: K) => TermOf<K> | undefined;

/** With more public channels than this, all messages are scanned by ID, instead of merging the channels' messages. */
const maxMergedChannels = 100;

/** Chooses the cheapest sources that contain all matches of a narrow. */
export async function planSources(
  reader: Reader,
  terms: readonly ResolvedTerm[],
  requireReceived = false,
): Promise<SourcePlan> {
  const receivedOnly = requireReceived || !reachesUnreceivedHistory(reader, terms);
  const sources = await chooseSources(reader, terms, finder(terms), receivedOnly);
  const ranges = terms.flatMap((term) => (term.kind === "sent" && !term.negated ? [term.ids] : []));
  if (ranges.length === 0) return { receivedOnly, sources };
  const period: Period = [
    Math.max(...ranges.map(({ from }) => from)),
    Math.min(Number.MAX_SAFE_INTEGER, ...ranges.map(({ to }) => to + 1)),
  ];
  return { receivedOnly, sources: sources.map((source) => within([period], source)) };
}

/** Finds a narrow's positive term of a kind. */
const finder =
  (terms: readonly ResolvedTerm[]): FindTerm =>
  (kind) =>
    terms.find((term): term is TermOf<typeof kind> => term.kind === kind && !term.negated);

/** Whether a narrow includes history that the reader did not receive. */
function reachesUnreceivedHistory(reader: Reader, terms: readonly ResolvedTerm[]): boolean {
  if (!reader.caller) return true;
  const { caller } = reader;
  if (terms.some((term) => term.kind === "is" && term.operand !== "resolved")) return false;
  return terms.some(
    (term) =>
      !term.negated &&
      ((term.kind === "channel" &&
        (reader.mayReadHistory(term.id) || reader.channel(term.id)?.arrivals !== undefined)) ||
        (term.kind === "channels" && !isGuest(caller))),
  );
}

async function chooseSources(
  reader: Reader,
  terms: readonly ResolvedTerm[],
  find: FindTerm,
  receivedOnly: boolean,
): Promise<Source[]> {
  const hasIs = (operand: TermOf<"is">["operand"]) =>
    terms.some((term) => term.kind === "is" && term.operand === operand && !term.negated);
  const userId = reader.caller?.id ?? 0;
  const [id, channel, topic, dm, sender] = [find("id"), find("channel"), find("topic"), find("dm"), find("sender")];
  if (id) return [listSource([id.id])];
  if (hasIs("starred")) return [starredSource(reader.caller?.id ?? 0)];
  if (hasIs("mentioned")) return [mentionedSource(reader), broadMentionsSource];
  if (hasIs("alerted")) return alertedSources(reader, terms, receivedOnly);
  if (hasIs("unread")) {
    const { messages } = await listUnread(reader, {
      channelId: channel?.id,
      topic: topic?.topic,
      direct: dm !== undefined,
    });
    return [listSource(messages.map((message) => message.id))];
  }
  const search = find("search");
  if (search) {
    const otherTerms = terms.filter((term) => term !== search);
    const sourcesWithoutSearch = () => chooseSources(reader, otherTerms, finder(otherTerms), receivedOnly);
    return (
      (await searchSources(reader, otherTerms, searchOf(reader, search), receivedOnly, sourcesWithoutSearch)) ??
      sourcesWithoutSearch()
    );
  }
  if (dm) return [partitionSource("gsi1", conversationPartition(dm.userIds))];
  if (channel && topic) return [channelSource(reader, channel.id, topic.topic, receivedOnly)];
  if (sender) return [senderSource(sender.id)];
  if (channel) return [channelSource(reader, channel.id, undefined, receivedOnly)];
  if (hasIs("dm")) return [directMessagesSource(userId)];
  const including = find("dm-including") ?? find("group-pm-with");
  if (including)
    return [directMessagesSource(userId, ({ userIds = [] }) => including.userIds.every((id) => userIds.includes(id)))];
  const channels = find("channels");
  if (channels && !receivedOnly) return publicSources(channels.operand, topic?.topic);
  return personalSources(reader, topic?.topic, channels !== undefined);
}

/** A search that finds all messages with an alert word, and others: it stems no words, as alert words stand for themselves. */
const alertSearch = (word: string) => parseSearch(word, { language: "", completes: false });

/** Finds messages with an alert word through the search index, one search per word. */
async function alertedSources(
  reader: Reader,
  terms: readonly ResolvedTerm[],
  receivedOnly: boolean,
): Promise<Source[]> {
  const otherTerms = terms.filter((term) => term.kind !== "is" || term.operand !== "alerted");
  const sourcesWithoutSearch = () => chooseSources(reader, otherTerms, finder(otherTerms), receivedOnly);
  const words = await readAlertWords(reader);
  const sourcesByWord = await Promise.all(
    words.map((word) => searchSources(reader, otherTerms, alertSearch(word), receivedOnly, sourcesWithoutSearch)),
  );
  return sourcesByWord.includes(undefined) ? sourcesWithoutSearch() : sourcesByWord.flatMap((sources) => sources ?? []);
}

/** The messages of a topic, or of the whole channel if `topic` is undefined. */
export const topicOrChannelSource = (channelId: number, topic: string | undefined) =>
  topic === undefined
    ? partitionSource("gsi1", channelPartition(channelId))
    : partitionSource("gsi2", topicPartition(channelId, topic));

function channelSource(reader: Reader, channelId: number, topic: string | undefined, receivedOnly: boolean): Source {
  const source = topicOrChannelSource(channelId, topic);
  if (!receivedOnly && reader.mayReadHistory(channelId)) return source;
  const periods = reader.subscription(channelId)?.periods ?? [];
  return within(receivedOnly ? periods : candidatePeriods(periods, reader.channel(channelId) ?? {}), source);
}

type PublicScope = TermOf<"channels">["operand"];

const isPublic = (channel: Channel, scope: PublicScope) =>
  channel.isWebPublic || (scope === "public" && !channel.inviteOnly);

async function publicSources(scope: PublicScope, topic: string | undefined) {
  const channels = (await listChannels()).filter((channel) => isPublic(channel, scope));
  if (channels.length <= maxMergedChannels) return channels.map(({ id }) => topicOrChannelSource(id, topic));
  return [allMessagesSource((await readHead()).message)];
}

/** Messages that the reader received: each channel within the subscription's periods, and direct messages. */
async function personalSources(reader: Reader, topic: string | undefined, channelsOnly: boolean): Promise<Source[]> {
  const subscriptions = await reader.readableSubscriptions();
  const channels = subscriptions.map(({ channelId, periods }) =>
    within(periods, topicOrChannelSource(channelId, topic)),
  );
  if (topic !== undefined || channelsOnly) return channels;
  return [...channels, directMessagesSource(reader.caller?.id ?? 0)];
}
