import { badRequest } from "../../../base/errors.ts";
import { mapInSlices } from "../../../base/in-slices.ts";
import type { Message } from "../../../store/messages/messages.ts";
import { ReadMarks } from "../../../store/messages/read-state.ts";
import { type PersonalState, prefetchPersonalState, readPersonalState } from "../flags/flags.ts";
import { readTopicPolicies, type TopicPolicies } from "../flags/muting.ts";
import type { Reader } from "../reader.ts";
import { loadMessages } from "./load-messages.ts";
import { readMerged } from "./merge.ts";
import type { Term } from "./narrow.ts";
import { dependsOnFlags, dependsOnPolicies, matches } from "./narrow-predicates.ts";
import { planSources } from "./plan-sources.ts";
import type { Source, SourceEntry } from "./sources.ts";
import { type ResolvedTerm, resolveTerms } from "./terms.ts";

/** A narrow with its terms resolved to IDs and the reader's topic policies loaded. */
export interface Narrow {
  terms: ResolvedTerm[];
  policies: TopicPolicies;
}

const emptyPersonalState: PersonalState = { marks: new ReadMarks(), sparse: new Map(), alertWords: [] };

export async function prepareNarrow(reader: Reader, unresolved: readonly Term[]): Promise<Narrow> {
  const terms = await resolveTerms(reader, unresolved);
  return { terms, policies: dependsOnPolicies(terms) ? await readTopicPolicies(reader) : new Map() };
}

/** Whether only starred or unread messages match: these count as received, even if they were sent before the reader subscribed. */
export const matchesOnlyFlagged = (terms: Narrow["terms"]): boolean =>
  terms.some((term) => term.kind === "is" && ["starred", "unread"].includes(term.operand) && !term.negated);

/** Whether all entries of the narrow's sources match: those of the combined feed, or of all direct messages. */
const matchesAll = (terms: Narrow["terms"]): boolean =>
  terms.every((term) => term.kind === "is" && term.operand === "dm" && !term.negated);

/** The messages of the given entries that the reader may read and that match the narrow. */
export async function filterMatching(
  reader: Reader,
  { terms, policies }: Narrow,
  entries: readonly SourceEntry[],
  receivedOnly: boolean,
): Promise<Message[]> {
  const [messages] = await Promise.all([
    loadMessages(entries),
    reader.load(entries.flatMap(({ message }) => message?.channelId ?? [])),
  ]);
  const [state] = await Promise.all([
    dependsOnFlags(terms) ? readPersonalState(reader, messages) : emptyPersonalState,
    reader.load(messages.flatMap(({ channelId }) => channelId ?? [])),
  ]);
  const acceptsHistory = matchesOnlyFlagged(terms);
  // To search thousands of long messages takes seconds.
  const isMatch = await mapInSlices(messages, (message) => {
    const reach = reader.reach(message);
    if (!reach || (receivedOnly && reach !== "received" && !acceptsHistory)) return false;
    return matches(terms, message, { reader, state, policies });
  });
  return messages.filter((_, index) => isMatch[index]);
}

/** How long a request searches for matches: well below API Gateway's 29 s, after which the client would get no useful error. */
const readBudgetMs = 20_000;

/** How many messages a step reads and tests. */
const minStep = 20;
const maxStep = 1000;
/** The lowest estimate of the share of matches among the next messages. */
const minLikelihood = 0.02;

/**
 * All matches of a narrow as one ordered source. Terms without an index are tested on each message read, in steps that
 * grow as matches get rarer, until the limit is reached or the source is exhausted. So a result with fewer messages than the
 * limit always means that there are no more.
 */
export async function matchingSource(reader: Reader, narrow: Narrow, requireReceived = false): Promise<Source> {
  const deadline = Date.now() + readBudgetMs;
  const { sources, receivedOnly } = await planSources(reader, narrow.terms, requireReceived);
  return async (query) => {
    const found: Message[] = [];
    let { from, to } = query;
    let step = query.limit;
    while (found.length < query.limit && from <= to) {
      if (Date.now() > deadline)
        throw badRequest("The narrow matches too few messages: request fewer messages, or some closer to the anchor.");
      const entries = await readMerged(sources, { ...query, from, to, limit: step });
      // What the reply says of each message is then read together with the messages.
      if (matchesAll(narrow.terms))
        prefetchPersonalState(
          reader,
          entries.map(({ id }) => id),
        );
      const matched = await filterMatching(reader, narrow, entries, receivedOnly);
      found.push(...matched);
      const last = entries.at(-1);
      if (!last || entries.length < step) break;
      if (query.descending) to = last.id - 1;
      else from = last.id + 1;
      const likelihood = Math.max(matched.length / entries.length, minLikelihood);
      step = Math.min(maxStep, Math.max(minStep, Math.ceil((query.limit - found.length) / likelihood)));
    }
    return found.slice(0, query.limit).map((message) => ({ id: message.id, message }));
  };
}
