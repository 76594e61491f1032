import { type Channel, listChannels } from "../store/channels.ts";
import { readHead } from "../store/log.ts";
import { channelPartition, conversationPartition, topicPartition } from "../store/messages.ts";
import { isGuest } from "../users/caller.ts";
import { readAlertWords } from "./alerts.ts";
import { searchedPeriods } from "./periods.ts";
import type { Reader } from "./reader.ts";
import { searchSources } from "./search-sources.ts";
import {
  broadMentionsSource,
  directMessagesSource,
  everySource,
  flaggedSource,
  listSource,
  partitionSource,
  type Source,
  senderSource,
  within,
} from "./sources.ts";
import type { Resolved } from "./terms.ts";
import { listUnread } from "./unread-list.ts";

/** Where a narrow's messages are to be looked up, and how far the reader's history goes in it. */
export interface Scope {
  sources: Source[];
  /** Whether only what the reader received counts, and not all that they may read. */
  personal: boolean;
}

type By<K extends Resolved["by"]> = Extract<Resolved, { by: K }>;
type Find = <K extends Resolved["by"]>(by: K) => By<K> | undefined;

/** More public channels than these are not merged one by one. */
const mostMerged = 100;

/** The cheapest runs of messages that hold all matches of a narrow (companion reference, E, History). */
export async function scopeOf(reader: Reader, terms: readonly Resolved[], personalOnly = false): Promise<Scope> {
  const personal = personalOnly || !widens(reader, terms);
  return { personal, sources: await sourcesOf(reader, terms, finder(terms), personal) };
}

const finder =
  (terms: readonly Resolved[]): Find =>
  (by) =>
    terms.find((term): term is By<typeof by> => term.by === by && !term.negated);

/** Whether a narrow reaches into history that the reader did not receive. */
function widens(reader: Reader, terms: readonly Resolved[]): boolean {
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

async function sourcesOf(reader: Reader, terms: readonly Resolved[], find: Find, personal: boolean): Promise<Source[]> {
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
    const others = terms.filter((term) => term !== search);
    const rest = () => sourcesOf(reader, others, finder(others), personal);
    return (await searchSources(reader, others, search.query, personal, rest)) ?? rest();
  }
  if (dm) return [partitionSource("gsi1", conversationPartition(dm.userIds))];
  if (channel && topic) return [channelSource(reader, channel.id, topic.topic, personal)];
  if (sender) return [senderSource(sender.id)];
  if (channel) return [channelSource(reader, channel.id, undefined, personal)];
  if (has("dm")) return [directMessagesSource(userId)];
  const including = find("dm-including") ?? find("group-pm-with");
  if (including)
    return [
      directMessagesSource(userId, ({ userIds = [] }) => including.userIds.every((one) => userIds.includes(one))),
    ];
  const channels = find("channels");
  if (channels && !personal) return publicSources(channels.which, topic?.topic);
  return personalSources(reader, topic?.topic, channels !== undefined);
}

/** Messages with one of the reader's alert words are looked up as if each word were searched for. */
async function alertedSources(reader: Reader, terms: readonly Resolved[], personal: boolean): Promise<Source[]> {
  const others = terms.filter((term) => term.by !== "is" || term.what !== "alerted");
  const rest = () => sourcesOf(reader, others, finder(others), personal);
  const words = await readAlertWords(reader);
  const found = await Promise.all(words.map((word) => searchSources(reader, others, word, personal, rest)));
  return found.includes(undefined) ? rest() : found.flatMap((sources) => sources ?? []);
}

const topicOrChannel = (channelId: number, topic: string | undefined) =>
  topic === undefined
    ? partitionSource("gsi1", channelPartition(channelId))
    : partitionSource("gsi2", topicPartition(channelId, topic));

function channelSource(reader: Reader, channelId: number, topic: string | undefined, personal: boolean): Source {
  const source = topicOrChannel(channelId, topic);
  if (!personal && reader.mayReadHistory(channelId)) return source;
  const periods = reader.subscription(channelId)?.periods ?? [];
  return within(personal ? periods : searchedPeriods(periods, reader.channel(channelId) ?? {}), source);
}

const isAmong = (channel: Channel, which: "public" | "web-public") =>
  channel.isWebPublic || (which === "public" && !channel.inviteOnly);

async function publicSources(which: "public" | "web-public", topic: string | undefined) {
  const channels = (await listChannels()).filter((channel) => isAmong(channel, which));
  if (channels.length <= mostMerged) return channels.map(({ id }) => topicOrChannel(id, topic));
  return [everySource((await readHead()).message)];
}

/** What the reader received: derived from the periods of their subscriptions. */
async function personalSources(reader: Reader, topic: string | undefined, channelsOnly: boolean): Promise<Source[]> {
  const subscriptions = await reader.readableSubscriptions();
  const channels = subscriptions.map(({ channelId, periods }) => within(periods, topicOrChannel(channelId, topic)));
  if (topic !== undefined || channelsOnly) return channels;
  return [...channels, directMessagesSource(reader.caller?.id ?? 0)];
}
