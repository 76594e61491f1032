import { maxFenceDepth, nestsFences, readFence } from "./fence-lines.ts";

/**
 * Quotes a text, as Markdown, so that it can neither end the quote nor extend it over what follows: the fence is longer than any
 * in the text, and than any in what it will be `within`; fences that the text leaves open are closed.
 */
export const quoted = (text: string, within = ""): string => fenced(withClosedFences(text), "quote", within);

/** A block that is shown when its title is clicked, which the text cannot end. */
export const spoilerOf = (title: string, text: string): string => fenced(withClosedFences(text), `spoiler ${title}`);

/** A code block, which the text cannot end. */
export const codeBlockOf = (text: string, language = ""): string => fenced(text, language);

function fenced(text: string, language: string, within = ""): string {
  const runs = [...(text.match(/`+/g) ?? []), ...(within.match(/`+/g) ?? [])];
  const longest = runs.reduce((length, run) => Math.max(length, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A text whose blocks do not extend over what follows it. */
export const withClosedFences = (text: string): string => [text, ...unclosedFences(text)].join("\n");

/** The lines that close the fences that a quoted text leaves open, the innermost first. */
function unclosedFences(text: string): string[] {
  const open: { fence: string; nests: boolean }[] = [];
  for (const line of text.split("\n")) {
    const innermost = open.at(-1);
    if (line.trimEnd() === innermost?.fence) open.pop();
    else if ((innermost?.nests ?? true) && open.length + 1 < maxFenceDepth) {
      const found = readFence(line);
      if (found) open.push({ fence: found.fence, nests: nestsFences(found) });
    }
  }
  return open.reverse().map(({ fence }) => fence);
}
