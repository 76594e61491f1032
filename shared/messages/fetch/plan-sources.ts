import { candidatePeriods } from "../../channels/periods.ts";
import { isGuest } from "../../identity/caller.ts";
import { type Channel, listChannels } from "../../store/channels/channels.ts";
import { readHead } from "../../store/log/log.ts";
import { channelPartition, conversationPartition, topicPartition } from "../../store/messages/messages.ts";
import { readAlertWords } from "../flags/alert-words.ts";
import { listUnread } from "../flags/unread-list.ts";
import type { Reader } from "../reader.ts";
import { searchSources } from "./search-sources.ts";
import {
  allMessagesSource,
  broadMentionsSource,
  directMessagesSource,
  flaggedSource,
  listSource,
  partitionSource,
  type Source,
  senderSource,
  within,
} from "./sources.ts";
import type { ResolvedTerm } from "./terms.ts";

/** The sources to read for a narrow, and whether they include history that the reader did not receive. */
export interface SourcePlan {
  sources: Source[];
  /** Whether only messages that the reader received count, not all that they may read. */
  personal: boolean;
}

type By<K extends ResolvedTerm["by"]> = Extract<ResolvedTerm, { by: K }>;
type Find = <K extends ResolvedTerm["by"]>(by: K) => By<K> | undefined;

/** With more public channels than this, all messages are scanned by ID instead of merging the channels. */
const maxMergedChannels = 100;

/** Chooses the cheapest sources that contain all matches of a narrow. */
export async function planSources(
  reader: Reader,
  terms: readonly ResolvedTerm[],
  personalOnly = false,
): Promise<SourcePlan> {
  const personal = personalOnly || !reachesUnreceivedHistory(reader, terms);
  return { personal, sources: await chooseSources(reader, terms, finder(terms), personal) };
}

const finder =
  (terms: readonly ResolvedTerm[]): Find =>
  (by) =>
    terms.find((term): term is By<typeof by> => term.by === by && !term.negated);

/** Whether a narrow includes history that the reader did not receive. */
function reachesUnreceivedHistory(reader: Reader, terms: readonly ResolvedTerm[]): boolean {
  if (!reader.caller) return true;
  const { caller } = reader;
  if (terms.some((term) => term.by === "is" && term.what !== "resolved")) return false;
  return terms.some(
    (term) =>
      !term.negated &&
      ((term.by === "channel" && (reader.mayReadHistory(term.id) || reader.channel(term.id)?.arrivals !== undefined)) ||
        (term.by === "channels" && !isGuest(caller))),
  );
}

async function chooseSources(
  reader: Reader,
  terms: readonly ResolvedTerm[],
  find: Find,
  personal: boolean,
): Promise<Source[]> {
  const has = (what: By<"is">["what"]) => terms.some((term) => term.by === "is" && term.what === what && !term.negated);
  const userId = reader.caller?.id ?? 0;
  const [id, channel, topic, dm, sender] = [find("id"), find("channel"), find("topic"), find("dm"), find("sender")];
  if (id) return [listSource([id.id])];
  if (has("starred")) return [flaggedSource(reader, "starred")];
  if (has("mentioned")) return [flaggedSource(reader, "mentioned"), broadMentionsSource];
  if (has("alerted")) return alertedSources(reader, terms, personal);
  if (has("unread")) {
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
    const sourcesWithoutSearch = () => chooseSources(reader, otherTerms, finder(otherTerms), personal);
    return (
      (await searchSources(reader, otherTerms, search.query, personal, sourcesWithoutSearch)) ?? sourcesWithoutSearch()
    );
  }
  if (dm) return [partitionSource("gsi1", conversationPartition(dm.userIds))];
  if (channel && topic) return [channelSource(reader, channel.id, topic.topic, personal)];
  if (sender) return [senderSource(sender.id)];
  if (channel) return [channelSource(reader, channel.id, undefined, personal)];
  if (has("dm")) return [directMessagesSource(userId)];
  const including = find("dm-including") ?? find("group-pm-with");
  if (including)
    return [directMessagesSource(userId, ({ userIds = [] }) => including.userIds.every((id) => userIds.includes(id)))];
  const channels = find("channels");
  if (channels && !personal) return publicSources(channels.which, topic?.topic);
  return personalSources(reader, topic?.topic, channels !== undefined);
}

/** Finds messages with an alert word through the search index, one search per word. */
async function alertedSources(reader: Reader, terms: readonly ResolvedTerm[], personal: boolean): Promise<Source[]> {
  const otherTerms = terms.filter((term) => term.by !== "is" || term.what !== "alerted");
  const sourcesWithoutSearch = () => chooseSources(reader, otherTerms, finder(otherTerms), personal);
  const words = await readAlertWords(reader);
  const sourcesByWord = await Promise.all(
    words.map((word) => searchSources(reader, otherTerms, word, personal, sourcesWithoutSearch)),
  );
  return sourcesByWord.includes(undefined) ? sourcesWithoutSearch() : sourcesByWord.flatMap((sources) => sources ?? []);
}

export const topicOrChannelSource = (channelId: number, topic: string | undefined) =>
  topic === undefined
    ? partitionSource("gsi1", channelPartition(channelId))
    : partitionSource("gsi2", topicPartition(channelId, topic));

function channelSource(reader: Reader, channelId: number, topic: string | undefined, personal: boolean): Source {
  const source = topicOrChannelSource(channelId, topic);
  if (!personal && reader.mayReadHistory(channelId)) return source;
  const periods = reader.subscription(channelId)?.periods ?? [];
  return within(personal ? periods : candidatePeriods(periods, reader.channel(channelId) ?? {}), source);
}

const isPublic = (channel: Channel, which: "public" | "web-public") =>
  channel.isWebPublic || (which === "public" && !channel.inviteOnly);

async function publicSources(which: "public" | "web-public", topic: string | undefined) {
  const channels = (await listChannels()).filter((channel) => isPublic(channel, which));
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
