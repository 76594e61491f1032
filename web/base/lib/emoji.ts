import { computed, signal } from "@preact/signals";
import { fold } from "../../../shared/base/folding.ts";

/** The server's Unicode emoji; loaded on first use. */

export interface Emoji {
  name: string;
  /** The hexadecimal code points, separated by hyphens. */
  code: string;
  /** All names of the emoji, including `name`. */
  names: readonly string[];
}

const namesByCode = signal<ReadonlyMap<string, readonly string[]>>(new Map());
let loading: Promise<void> | undefined;

export const allEmoji = computed<readonly Emoji[]>(() =>
  [...namesByCode.value].map(([code, names]) => ({ name: names[0] ?? code, code, names })),
);

export function loadEmoji(url: string): Promise<void> {
  loading ??= fetch(URL.parse(url, location.origin)?.pathname ?? url)
    .then((reply) => reply.json())
    .then((data: { code_to_names: Record<string, string[]> }) => {
      namesByCode.value = new Map(Object.entries(data.code_to_names));
    })
    .catch(() => {
      // Lets the next call try again.
      loading = undefined;
    });
  return loading;
}

/** The characters that a code such as "1f1e9-1f1ea" stands for. */
export const glyphOf = (code: string) => {
  const points = code.split("-").map((part) => Number.parseInt(part, 16));
  return points.every((point) => point > 0 && point <= 0x10ffff) ? String.fromCodePoint(...points) : "";
};

/** What a user types, as names of emoji are written. */
export const emojiQuery = (text: string): string => fold(text).replaceAll(" ", "_");

/** The emoji that have a name with the text in it: first those with a name that starts with it, shortest first. */
export function findEmoji(text: string, maxMatches: number): Emoji[] {
  const query = emojiQuery(text);
  const prefixMatches: Emoji[] = [];
  const otherMatches: Emoji[] = [];
  for (const emoji of allEmoji.value)
    for (const name of emoji.names) {
      if (name.startsWith(query)) prefixMatches.push({ ...emoji, name });
      else if (name.includes(query)) otherMatches.push({ ...emoji, name });
      else continue;
      break;
    }
  return [...prefixMatches.sort((a, b) => a.name.length - b.name.length), ...otherMatches].slice(0, maxMatches);
}

/** The emoji that are used most, first in every picker. */
export const popularEmoji: readonly Emoji[] = [
  ["1f44d", "+1"],
  ["1f389", "tada"],
  ["2764", "heart"],
  ["1f604", "smile"],
  ["1f602", "joy"],
  ["1f64f", "pray"],
  ["1f440", "eyes"],
  ["1f680", "rocket"],
  ["2705", "check"],
  ["1f914", "thinking"],
].map(([code = "", name = ""]) => ({ code, name, names: [name] }));
