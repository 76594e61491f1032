import type { Message } from "../../../store/messages/messages.ts";
import { type Analysis, type Atom, analyze } from "./analyze.ts";
import { isStopWord } from "./stop-words.ts";
import { analyzeHtml, piecesOfHtml } from "./text.ts";

/** The terms under which a message is indexed: those of its visible text, of its topic, and of the names of linked files. */
export function indexTerms({ html, topic = "" }: Pick<Message, "html" | "topic">): string[] {
  const terms = new Set<string>();
  for (const analysis of [analyzeHtml(piecesOfHtml(html)), analyze(topic)]) addTerms(terms, analysis);
  return [...terms];
}

function addTerms(terms: Set<string>, { atoms, compounds }: Analysis): void {
  const add = (term: string | undefined) => {
    if (term !== undefined && !isStopWord(term)) terms.add(term);
  };
  for (const [index, atom] of atoms.entries()) {
    const next = atoms[index + 1];
    const pair = next && pairOf(atom, next);
    if (pair !== undefined) terms.add(pair);
    if (atom.kind !== "character") add(atom.term);
    // The pairs that begin with a character are found by it; the last character of a run begins none.
    else if (next?.kind !== "character" || pair === undefined) terms.add(atom.term);
    add(atom.variant);
  }
  for (const { term, variant } of compounds) {
    add(term);
    add(variant);
  }
}

/** Two characters of a script without spaces that follow each other, or two numbers, as in "1.2": each alone is frequent. */
export function pairOf(first: Atom, second: Atom): string | undefined {
  const isPairOf = (kind: Atom["kind"]) => first.kind === kind && second.kind === kind;
  if (isPairOf("character") && second.gap === "none") return `${first.term}${second.term}`;
  return isPairOf("number") && second.gap !== "space" ? `${first.term}.${second.term}` : undefined;
}
