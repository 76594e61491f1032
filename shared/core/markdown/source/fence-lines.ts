/** The lines that begin fenced blocks. The web client contains this module too. */

// Deeper fences are text, because each level of quotes lengthens every line in it.
export const maxFenceDepth = 12;

export interface FenceLine {
  fence: string;
  language: string | undefined;
  header: string | undefined;
}

/** Whether fences inside a block are parsed, as in quotes; in code they are text. Its language is the named one. */
export const nestsFences = ({ language }: Pick<FenceLine, "language">): boolean =>
  ["quote", "quoted", "spoiler"].includes(language?.toLowerCase() ?? "");

const opening = /^(~{3,}|`{3,}) *(?:\{?\.?([a-zA-Z0-9_+,\-./#]+) *([^ ~`][^~`]*)?\}?)?$/;

/** Parses a line that is a fence: three or more of ` or ~, optionally a language and the header of a spoiler. */
export function readFence(line: string): FenceLine | undefined {
  const run = /^(?:~{3,}|`{3,})/.exec(line)?.[0];
  // Languages and headers contain neither character. Checking this first prevents backtracking in the pattern below.
  if (run === undefined || /[~`]/.test(line.slice(run.length))) return undefined;
  const match = opening.exec(line);
  if (!match) return undefined;
  const [, fence = run, language, header] = match;
  return { fence, language, header };
}
