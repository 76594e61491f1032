import { isProtected } from "../../channels/periods.ts";
import { toStoredTopic } from "../../channels/topic-names.ts";
import type { Caller } from "../../identity/caller.ts";
import { conversationPartition } from "../../store/messages/messages.ts";
import { findUnreadFloors, listNewestSegments } from "../../store/messages/read-state.ts";
import { prefetch } from "../../store/table/prefetch.ts";
import { readTopicPolicies } from "../flags/muting.ts";
import type { Reader } from "../reader.ts";
import type { Selection } from "./anchor.ts";
import type { Term } from "./narrow.ts";
import { topicOrChannel } from "./plan-sources.ts";
import { readRange } from "./range.ts";
import { partitionSource, type Source } from "./sources.ts";

/**
 * Starts reading the messages of a channel, topic or conversation while the narrow is resolved and access is checked; or what
 * tells which message is the first unread one.
 */
export async function prefetchRange(reader: Reader, terms: readonly Term[], selection: Selection): Promise<void> {
  const { caller } = reader;
  if (selection.kind !== "range" || !caller) return;
  const { anchor } = selection;
  if (anchor === undefined) {
    prefetch(() =>
      Promise.all([findUnreadFloors(caller.id), listNewestSegments(caller.id), readTopicPolicies(reader)]),
    );
    return;
  }
  const source = await sourceByIds(reader, caller, terms);
  if (source) prefetch(() => readRange(source, { ...selection, anchor }));
}

/** The only source of a narrow that names its channel or users by ID; undefined for any other narrow. */
async function sourceByIds(reader: Reader, caller: Caller, terms: readonly Term[]): Promise<Source | undefined> {
  const [first, second, ...others] = terms;
  if (others.length > 0 || terms.some(({ negated }) => negated)) return undefined;
  if (first?.operator === "dm" && !second) {
    const named = [first.operand].flat();
    const ids = named.filter((id) => typeof id === "number");
    if (ids.length < named.length) return undefined;
    return partitionSource("gsi1", conversationPartition([...ids, caller.id]));
  }
  if (first?.operator !== "channel" || typeof first.operand !== "number") return undefined;
  if (second && second.operator !== "topic") return undefined;
  const channel = await reader.loadChannel(first.operand);
  // The subscription decides which messages of a protected history are read.
  if (!channel || isProtected(channel)) return undefined;
  return topicOrChannel(channel.id, second && toStoredTopic(String(second.operand), reader.realm.settings));
}
