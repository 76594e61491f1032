import type { Need } from "../../../base/needs.ts";
import { ProcessCache } from "../../../base/process-cache.ts";
import { isProtected } from "../../../core/channels/periods.ts";
import { toStoredTopic } from "../../../core/channels/topic-names.ts";
import type { Caller } from "../../../services/identity/caller.ts";
import type { Realm } from "../../../services/organization/access.ts";
import { findChannelIdByName, findChannels } from "../../../store/channels/channels.ts";
import { conversationPartition } from "../../../store/messages/messages.ts";
import { findUnreadFloors, listNewestSegments } from "../../../store/messages/read-state.ts";
import { prefetch } from "../../../store/table/shared-reads.ts";
import { readTopicPolicies } from "../flags/muting.ts";
import { Reader } from "../reader.ts";
import { checkSelection, type Selection } from "./anchor.ts";
import { prepareNarrow } from "./matching.ts";
import { type Operand, operandsOf, parseNarrow, type Term } from "./narrow.ts";
import { topicOrChannelSource } from "./plan-sources.ts";
import { readRange } from "./range.ts";
import { partitionSource, type Source } from "./sources.ts";

/**
 * The channels that had a protected history when this process last read them. Only a hint for channels that are given by name:
 * the read of their messages starts before the channel itself has been read.
 */
const protectedChannels = new ProcessCache<number, true>({ minRetained: 1000 });

type RangeParams = Parameters<typeof checkSelection>[0] & { narrow: Parameters<typeof parseNarrow>[0] };

/**
 * What a request for messages asks for, and by whom. The channel that its narrow names is read early, and its messages while the
 * narrow is resolved and access is checked.
 */
export const requestedRange: Need<
  { reader: Reader; narrow: Awaited<ReturnType<typeof prepareNarrow>>; selection: Selection },
  { caller: Caller | undefined; params: RangeParams; realm: Promise<Realm> }
> = {
  early: (sent) => readChannel(sent("narrow") ?? []),
  load: async ({ caller, params, realm }) => {
    const reader = new Reader(caller, await realm);
    const selection = checkSelection(params);
    const terms = parseNarrow(params.narrow);
    await startReading(reader, terms, selection);
    return { reader, narrow: await prepareNarrow(reader, terms), selection };
  },
};

async function readChannel(narrow: RangeParams["narrow"]): Promise<void> {
  const [operand] = operandsOf(parseNarrow(narrow), "channel");
  const id = typeof operand === "string" ? await findChannelIdByName(operand.trim()) : operand;
  if (typeof id !== "number") return;
  const [channel] = await findChannels([id]);
  if (channel && isProtected(channel)) protectedChannels.set(id, true);
  else protectedChannels.delete(id);
}

/**
 * Starts reading the messages of a channel, topic or conversation while the narrow is resolved and access is checked; or the
 * state that determines the first unread message.
 */
async function startReading(reader: Reader, terms: readonly Term[], selection: Selection): Promise<void> {
  const { caller } = reader;
  if (selection.kind !== "range" || !caller) return;
  const { anchor } = selection;
  if (anchor === undefined) {
    prefetch(() =>
      Promise.all([findUnreadFloors(caller.id), listNewestSegments(caller.id), readTopicPolicies(reader)]),
    );
    return;
  }
  // The message of a date is looked up first.
  if (typeof anchor !== "number") return;
  const source = await findSingleSource(reader, caller, terms);
  if (source) prefetch(() => readRange(source, { ...selection, anchor }));
}

/** The source of a narrow that names only a channel, a channel and a topic, or users by ID; undefined for any other narrow. */
async function findSingleSource(reader: Reader, caller: Caller, terms: readonly Term[]): Promise<Source | undefined> {
  const [first, second] = terms;
  if (terms.length > 2 || terms.some(({ negated }) => negated)) return undefined;
  if (first?.operator === "dm" && !second) {
    const idsOrEmails = [first.operand].flat();
    const ids = idsOrEmails.filter((id) => typeof id === "number");
    if (ids.length < idsOrEmails.length) return undefined;
    return partitionSource("gsi1", conversationPartition([...ids, caller.id]));
  }
  if (first?.operator !== "channel" || (second && second.operator !== "topic")) return undefined;
  const id = await findUnprotectedChannel(reader, first.operand);
  if (id === undefined) return undefined;
  return topicOrChannelSource(id, second && toStoredTopic(String(second.operand), reader.realm.settings));
}

/**
 * The ID of a channel, unless the reader's subscription decides which of its messages are read. A channel that is given by its
 * ID has been read together with the caller's account. One that is given by its name is being read now: its messages are read
 * at the same time, unless this process knows that its history is protected.
 */
async function findUnprotectedChannel(reader: Reader, operand: Operand): Promise<number | undefined> {
  if (typeof operand === "string") {
    const id = await reader.findChannelId(operand);
    return id === undefined || protectedChannels.get(id) ? undefined : id;
  }
  const channel = typeof operand === "number" ? await reader.loadChannel(operand) : undefined;
  return channel && !isProtected(channel) ? channel.id : undefined;
}
