import { MatcherInput, RE2JS, RE2JSException } from "re2js";
import { parseTemplate } from "url-template";
import type { MatchBudget } from "./match-budget.ts";

export interface CompiledLinkifier {
  /**
   * The matches from left to right. There are no more once the budget is used up: the rest of the message then stays text, on
   * each machine from the same character on. `plainText` gives what marks in the text stand for, of which the URL is made.
   */
  matches(text: string, budget: MatchBudget, plainText?: (part: string) => string): Iterable<LinkifierMatch>;
}

interface LinkifierMatch {
  /** The start of the match including the delimiter before it. `start` and `end` exclude delimiters. */
  outerStart: number;
  start: number;
  end: number;
  url: string;
}

/** Names of groups; a linkifier's own groups must have others. */
const beforeGroup = "linkifier_before_match";
const matchGroup = "linkifier_actual_match";
const afterGroup = "linkifier_after_match";

/** Compiles a linkifier; undefined if its pattern or template is not (or no longer) valid. */
export function compileLinkifier(pattern: string, urlTemplate: string): CompiledLinkifier | undefined {
  try {
    const expression = compile(pattern);
    const groups = groupNamesIn(pattern);
    const template = parseTemplate(urlTemplate);
    const uses = variablesIn(urlTemplate)?.length ?? 0;
    const expand = (values: Record<string, string>): string | undefined => {
      const longest = Object.values(values).reduce((length, value) => Math.max(length, value.length), 0);
      return urlTemplate.length + uses * longest > maxUrlCharacters ? undefined : template.expand(values);
    };
    return {
      matches: (text, budget, plainText = (part) => part) =>
        budget.remainingSteps > 0 ? findMatches(expression, groups, expand, text, budget, plainText) : [],
    };
  } catch {
    return undefined;
  }
}

/** A match whose link could be longer, before percent-encoding, is not linked: a template may repeat what it matched. */
const maxUrlCharacters = 20_000;

// Matching takes time proportional to the size of the compiled program times the text's length.
const maxInstructions = 600;

/** Matches only whole words: after the text's start, whitespace or an opening delimiter, and not before a letter or digit. */
function compile(pattern: string): RE2JS {
  const expression = RE2JS.compile(
    `(?P<${beforeGroup}>^|\\s|\u0085|\\pZ|['"(,:<])(?P<${matchGroup}>${pattern})(?P<${afterGroup}>$|[^\\pL\\pN])`,
  );
  if (expression.programSize() > maxInstructions) throw new RE2JSException("the pattern is too large");
  return expression;
}

/** Thrown into the engine to end a search. */
class OutOfSteps extends Error {}

/**
 * A text for the engine that takes the steps of a search from the budget as the search goes on, and ends it when there are none
 * left. Whichever algorithm the engine chooses, a search takes at most one step for each instruction at each character.
 */
class CountedText extends String {
  readonly #text: string;
  readonly #budget: MatchBudget;
  readonly #instructions: number;
  /** The index after the last character that this search has read. */
  #end = 0;

  constructor(text: string, budget: MatchBudget, instructions: number) {
    super(text);
    this.#text = text;
    this.#budget = budget;
    this.#instructions = instructions;
  }

  /** Begins a search at an index. Each one has a cost of its own besides that of the characters. */
  startSearch(index: number): void {
    this.#end = index;
    this.#take(1);
  }

  override charCodeAt(index: number): number {
    if (index >= this.#end) {
      this.#take(index + 1 - this.#end);
      this.#end = index + 1;
    }
    return this.#text.charCodeAt(index);
  }

  #take(characters: number): void {
    this.#budget.remainingSteps -= characters * this.#instructions;
    if (this.#budget.remainingSteps <= 0) throw new OutOfSteps();
  }
}

function* findMatches(
  expression: RE2JS,
  groups: string[],
  expand: (values: Record<string, string>) => string | undefined,
  text: string,
  budget: MatchBudget,
  plainText: (part: string) => string,
): Iterable<LinkifierMatch> {
  // The engine cannot encode lone surrogates. Their replacement has the same length, so indexes stay valid.
  const counted = new CountedText(text.toWellFormed(), budget, expression.programSize());
  // The engine takes string objects too, which its types do not say.
  const matcher = expression.matcher(MatcherInput.utf16(counted as unknown as string));
  const search = (index: number, run: () => boolean): boolean => {
    try {
      counted.startSearch(index);
      return run();
    } catch (error) {
      if (error instanceof OutOfSteps) return false;
      throw error;
    }
  };
  let position = 0;
  while (position <= text.length && search(position, () => matcher.find(position))) {
    // The engine searches again for the groups of the match.
    if (!search(matcher.start(), () => matcher.start(matchGroup) >= 0)) return;
    const start = matcher.start(matchGroup);
    const end = matcher.end(matchGroup);
    if (end > start) {
      // Without a prototype: a group may be called "__proto__".
      const values: Record<string, string> = Object.create(null);
      for (const group of groups) {
        const value = matcher.group(group);
        if (value !== null) values[group] = plainText(value);
      }
      const url = expand(values);
      if (url !== undefined) yield { outerStart: matcher.start(), start, end, url };
    }
    // The delimiter after this match may also be the one before the next.
    position = Math.max(end, matcher.start() + 1);
  }
}

/** Why a pattern is invalid, if it is. It must be a regular expression of RE2, which matches in linear time. */
export function checkPattern(pattern: string): string | undefined {
  if (pattern === "") return "Bad regular expression: the pattern is empty";
  try {
    RE2JS.compile(pattern);
    compile(pattern);
    return undefined;
  } catch (error) {
    return `Bad regular expression: ${error instanceof RE2JSException ? zulipReason(error) : "not supported"}`;
  }
}

// Zulip's regular-expression engine words these errors differently.
const zulipReasons: [ours: string, zulips: string][] = [
  ["missing closing )", "missing )"],
  ["missing closing ]", "missing ]"],
  ["invalid nested repetition operator", "bad repetition operator"],
  ["missing argument to repetition operator", "no argument for repetition operator"],
  ["invalid or unsupported Perl syntax", "invalid perl operator"],
  ["invalid repeat count", "invalid repetition size"],
  ["invalid named capture", "invalid named capture group"],
];

function zulipReason(error: RE2JSException): string {
  const reason = error.message.replace("error parsing regexp: ", "").replaceAll("`", "");
  const [ours, zulips] = zulipReasons.find(([start]) => reason.startsWith(start)) ?? ["", ""];
  return zulips + reason.slice(ours.length);
}

const templateExpression = /\{([^{}]*)\}/g;
const variable = /^((?:\w|%[0-9a-fA-F]{2})(?:\.?(?:\w|%[0-9a-fA-F]{2}))*)(?::[1-9]\d{0,3}|\*)?$/;

/** Why a URL template (RFC 6570) is invalid, if it is. */
export function checkTemplate(urlTemplate: string): string | undefined {
  return urlTemplate === "" || variablesIn(urlTemplate) === undefined ? "Invalid URL template." : undefined;
}

/** The errors of a linkifier, by field; undefined if it is valid. Its pattern and template must have the same groups. */
export function checkLinkifier(
  pattern: string,
  urlTemplate: string,
): { pattern?: string[]; url_template?: string[] } | undefined {
  const patternError = checkPattern(pattern);
  const templateError = checkTemplate(urlTemplate);
  if (patternError ?? templateError) {
    return {
      ...(patternError && { pattern: [patternError] }),
      ...(templateError && { url_template: [templateError] }),
    };
  }
  const groups = new Set(groupNamesIn(pattern));
  const variables = new Set(variablesIn(urlTemplate));
  const unknown = [...variables].filter((name) => !groups.has(name)).sort();
  if (unknown.length > 0) {
    return { url_template: [`Group '${unknown[0]}' in URL template is not present in linkifier pattern.`] };
  }
  const unused = [...groups].filter((name) => !variables.has(name)).sort();
  if (unused.length === 0) return undefined;
  return { pattern: [`Group '${unused[0]}' in linkifier pattern is not present in URL template.`] };
}

function groupNamesIn(pattern: string): string[] {
  return Object.keys(RE2JS.compile(pattern).namedGroups());
}

/** The variables of a URL template; undefined if it is invalid. */
export function variablesIn(template: string): string[] | undefined {
  const names: string[] = [];
  for (const [, expression = ""] of template.matchAll(templateExpression)) {
    for (const part of expression.replace(/^[+#./;?&]/, "").split(",")) {
      const name = variable.exec(part)?.[1];
      if (name === undefined) return undefined;
      names.push(name);
    }
  }
  return /[{}]/.test(template.replace(templateExpression, "")) ? undefined : names;
}
