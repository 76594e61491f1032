import { truncate } from "../../base/schema/text.ts";
import { codeBlockOf, quoted } from "../../core/markdown/source/fenced.ts";
import { oneLine, plain as plainText } from "../../core/markdown/source/plain.ts";
import { safeUrl } from "../../core/markdown/urls.ts";

/** Markdown of texts that come from services. */

/** A text in one line whose characters mean nothing in Markdown, at most `maxLineCharacters` long. */
export const plain = (text: string): string => plainText(shortLine(text));

const maxLineCharacters = 1000;

const shortLine = (text: string): string => truncate(oneLine(text), maxLineCharacters, "…");

/** A link with a plain text; only the text if the URL is not one of the web. */
export function link(text: string, url: string | null | undefined): string {
  const label = plain(text);
  const destination = webUrl(url);
  return destination === undefined || label === "" ? label : `[${label}](${destination})`;
}

/** The URL with everything encoded that could end a Markdown link; undefined if it is not one of the web. */
export function webUrl(url: string | null | undefined): string | undefined {
  const parsed = url ? URL.parse(url) : null;
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.href.length > 2000) return undefined;
  return encoded(parsed.href, /[()<>[\]`*'"\\~$@]/g);
}

/** The URL in the same way, if it is one that a message may link to: also an address of e-mail or a telephone number. */
export function linkableUrl(url: string): string | undefined {
  const safe = /^[a-z][a-z\d+.-]*:/i.test(url) ? safeUrl(url.trim()) : undefined;
  return !safe || safe.length > 2000 ? undefined : encoded(safe, /[\s()<>[\]`*'"\\~$]/g);
}

const encoded = (url: string, characters: RegExp) =>
  url.replace(characters, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);

/** A text in code, in one line. */
export function code(text: string): string {
  const line = shortLine(text);
  if (line === "") return "";
  const longest = (line.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 0);
  const fence = "`".repeat(longest + 1);
  const padding = /^`|`$/.test(line) ? " " : "";
  return `${fence}${padding}${line}${padding}${fence}`;
}

/** The maximum length of one quotation. */
const maxQuotedCharacters = 3000;

/** A quotation of what somebody wrote in Markdown or as plain text; empty for an empty text. */
export const quote = (text: string | null | undefined): string => (!text?.trim() ? "" : quoted(quotable(text)));

/** As much of a text as is quoted. */
export const quotable = (text: string): string =>
  truncate(text.trim().replaceAll("\r\n", "\n"), maxQuotedCharacters, "\n[…]");

/** Below the maximum length of a message, with room for the fences. */
const maxJsonCharacters = 9000;

/** A payload as it came, in a code block. */
export const jsonBlock = (payload: unknown): string =>
  codeBlockOf(
    truncate(
      JSON.stringify(beginningOf(payload, { left: maxJsonCharacters }), undefined, 2),
      maxJsonCharacters,
      "\n[…]",
    ),
    "json",
  );

/**
 * A value without what would come after `room.left` characters of its indented JSON. Each line begins with its indentation, so
 * that a payload of 1 MB with deep lists would otherwise become hundreds.
 */
function beginningOf(value: unknown, room: { left: number }, depth = 1): unknown {
  if (typeof value !== "object" || value === null) return value;
  const kept: [name: string, value: unknown][] = [];
  for (const [name, one] of Object.entries(Array.isArray(value) ? value.slice(0, maxJsonCharacters) : value)) {
    if (room.left < 0) break;
    room.left -= 2 * depth + 1;
    kept.push([name, beginningOf(one, room, depth + 1)]);
  }
  return Array.isArray(value) ? kept.map(([, one]) => one) : Object.fromEntries(kept);
}

/** A sentence and, below it, a quotation if there is one; the sentence then ends with a colon instead of a full stop. */
export function withQuote(sentence: string, text: string | null | undefined): string {
  const quotation = quote(text);
  return quotation === "" ? `${sentence}.` : `${sentence}:\n\n${quotation}`;
}

/** Paragraphs, without those that are empty. */
export const paragraphs = (...parts: readonly string[]): string => parts.filter(Boolean).join("\n\n");

/** A list of what is known about something, in Markdown, without what is empty. */
export const factList = (facts: readonly (readonly [name: string, value: string])[]): string =>
  facts.flatMap(([name, value]) => (value ? [`* **${name}**: ${value}`] : [])).join("\n");

/** "1 commit", "2 commits". */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** "a", "a and b", "a, b and c". */
export const enumerated = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;

/** Text with underscores as words: "in_progress" is "in progress". */
export const words = (name: string): string => name.replaceAll("_", " ");

/** Seconds as "42 s", "3 min 2 s" or "1 h 4 min". */
export function duration(seconds: number): string {
  const [whole, minutes] = [Math.round(seconds), Math.floor(Math.round(seconds) / 60)];
  if (minutes === 0) return `${whole} s`;
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The duration between two times; empty if either is missing. */
export function took(from: string, to: string): string {
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000;
  return seconds >= 0 ? duration(seconds) : "";
}
