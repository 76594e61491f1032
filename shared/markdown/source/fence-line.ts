export interface FenceLine {
  fence: string;
  language: string | undefined;
  header: string | undefined;
}

const opening = /^(~{3,}|`{3,}) *(?:\{?\.?([a-zA-Z0-9_+,\-./#]+) *([^ ~`][^~`]*)?\}?)?$/;

/** What a line says when it is a fence: three or more of ` or ~, a language, and a header for blocks that have one. */
export function readFence(line: string): FenceLine | undefined {
  const run = /^(?:~{3,}|`{3,})/.exec(line)?.[0];
  // A language or header contains neither mark; looking first keeps the pattern below from trying every split.
  if (run === undefined || /[~`]/.test(line.slice(run.length))) return undefined;
  const match = opening.exec(line);
  return match ? { fence: match[1]!, language: match[2], header: match[3] } : undefined;
}
