import { findMessages, type Message } from "../store/messages.ts";
import { ReadMarks } from "../store/read-state.ts";
import { type PersonalState, readPersonalState } from "./flags.ts";
import { readMerged } from "./merge.ts";
import { readTopicPolicies, type TopicPolicies } from "./muting.ts";
import type { Term } from "./narrow.ts";
import type { Reader } from "./reader.ts";
import { scopeOf } from "./scope.ts";
import type { Entry, Source } from "./sources.ts";
import { type Resolved, resolveTerms } from "./terms.ts";
import { asksForPolicies, asksForState, matches } from "./tests.ts";

/** A narrow that is ready to be read. */
export interface Narrow {
  terms: Resolved[];
  policies: TopicPolicies;
}

const noState: PersonalState = { marks: new ReadMarks(), sparse: new Map(), alertWords: [] };

export async function prepareNarrow(reader: Reader, sent: readonly Term[]): Promise<Narrow> {
  const terms = await resolveTerms(reader, sent);
  return { terms, policies: asksForPolicies(terms) ? await readTopicPolicies(reader) : new Map() };
}

/** Entries with their messages: those from an index of IDs are looked up together, and those that are gone left out. */
async function hydrated(entries: readonly Entry[]): Promise<Message[]> {
  const missing = entries.filter(({ message }) => !message).map(({ id }) => id);
  const found = new Map((await findMessages(missing)).flatMap((message) => (message ? [[message.id, message]] : [])));
  return entries.flatMap(({ id, message }) => message ?? found.get(id) ?? []);
}

/** Whether only starred messages match: what one has starred is one's own, although it may have been said before one came. */
export const asksForStarred = (terms: Narrow["terms"]): boolean =>
  terms.some((term) => term.by === "is" && term.what === "starred" && !term.negated);

/** Those of some entries that are within the reader's reach and match the narrow. */
export async function matchingOf(
  reader: Reader,
  { terms, policies }: Narrow,
  entries: readonly Entry[],
  personal: boolean,
): Promise<Message[]> {
  const messages = await hydrated(entries);
  const [state] = await Promise.all([
    asksForState(terms) ? readPersonalState(reader, messages) : noState,
    reader.learn(messages.flatMap(({ channelId }) => channelId ?? [])),
  ]);
  const ownsHistory = asksForStarred(terms);
  return messages.filter((message) => {
    const reach = reader.reach(message);
    if (!reach || (personal && reach !== "received" && !ownsHistory)) return false;
    return matches(terms, message, { reader, state, policies });
  });
}

const smallestStep = 20;
const largestStep = 1000;

/**
 * All matches of a narrow as one ordered run. What no index can find is read and tested, in steps that grow with how
 * rarely something matches, until there is enough or nothing is left: an end that is told is always a true one.
 */
export async function matchingSource(reader: Reader, narrow: Narrow, personalOnly = false): Promise<Source> {
  const { sources, personal } = await scopeOf(reader, narrow.terms, personalOnly);
  return async (query) => {
    const found: Message[] = [];
    let { from, to } = query;
    let step = query.limit;
    while (found.length < query.limit && from <= to) {
      const entries = await readMerged(sources, { ...query, from, to, limit: step });
      const matched = await matchingOf(reader, narrow, entries, personal);
      found.push(...matched);
      const last = entries.at(-1);
      if (!last || entries.length < step) break;
      if (query.descending) to = last.id - 1;
      else from = last.id + 1;
      const likelihood = Math.max(matched.length / entries.length, 0.02);
      step = Math.min(largestStep, Math.max(smallestStep, Math.ceil((query.limit - found.length) / likelihood)));
    }
    return found.slice(0, query.limit).map((message) => ({ id: message.id, message }));
  };
}
