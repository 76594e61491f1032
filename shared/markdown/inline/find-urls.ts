/** The positions of URLs in a string, from left to right. */
export function* findUrls(text: string, domains: ReadonlySet<string>): Iterable<{ start: number; end: number }> {
  let position = 0;
  for (const word of text.matchAll(/\S+/g)) {
    const wordEnd = word.index + word[0].length;
    if (!/[.:]/.test(word[0])) continue;
    // Only closing punctuation may follow a URL in its word.
    let punctuation = wordEnd;
    while (punctuation > word.index && `!:;?),.'">`.includes(text.charAt(punctuation - 1))) punctuation -= 1;
    const limits = { end: wordEnd, punctuation };
    position = Math.max(position, word.index);
    for (const candidate of word[0].matchAll(/(?<![^'"(,:<])[^'"(,:<]/g)) {
      const from = word.index + candidate.index;
      if (from < position) continue;
      const end = endOfUrl(text, from, limits, domains);
      if (end === undefined) continue;
      yield { start: from, end };
      position = end;
    }
  }
}

const hostCharacter = /[\p{L}\p{N}_.:@-]/u;
const nameCharacter = /[\p{L}\p{N}_.-]/u;
const maxParenthesisDepth = 7;

interface Limits {
  /** The end of the word. */
  end: number;
  /** The start of the punctuation at the word's end. A URL ends there or later. */
  punctuation: number;
}

/**
 * The end of the URL that begins at an index, or undefined. Not a regular expression, because one that allows nested pairs of
 * parentheses takes exponential time on unpaired ones.
 */
export function endOfUrl(text: string, from: number, limits: Limits, domains: ReadonlySet<string>): number | undefined {
  return endOfHttp(text, from, limits) ?? endOfHostName(text, from, limits, domains) ?? endOfOther(text, from, limits);
}

function endOfHttp(text: string, from: number, limits: Limits): number | undefined {
  if (!text.startsWith("http", from)) return undefined;
  const scheme = text.startsWith("http://", from) ? 7 : text.startsWith("https://", from) ? 8 : 0;
  if (scheme === 0) return undefined;
  const host = from + scheme;
  const hostEnd = endOfRun(text, host, limits.end, hostCharacter);
  if (hostEnd === host) return undefined;
  const shortest = Math.max(limits.punctuation, host + 1);
  if (shortest <= hostEnd) return shortest;
  return text[hostEnd] === "/" ? endOfPath(text, hostEnd, limits) : undefined;
}

function endOfHostName(text: string, from: number, limits: Limits, domains: ReadonlySet<string>): number | undefined {
  const runEnd = endOfRun(text, from, limits.end, nameCharacter);
  const hasPath = text[runEnd] === "/" && runEnd < limits.end;
  // Without a path, the name ends before the punctuation: a final dot ends the sentence.
  const nameEnd = hasPath ? runEnd : Math.min(runEnd, limits.punctuation);
  if (!hasPath && (runEnd < limits.punctuation || nameEnd <= from)) return undefined;
  const labels = text.slice(from, nameEnd).split(".");
  if (labels.length < 2 || labels.some((label) => label === "") || !domains.has(labels.at(-1) ?? "")) return undefined;
  return hasPath ? endOfPath(text, nameEnd, limits) : nameEnd;
}

/** Parentheses in a path must be in pairs. An unpaired one at the end belongs to the sentence. */
function endOfPath(text: string, slash: number, limits: Limits): number | undefined {
  let depth = 0;
  for (let index = slash + 1; index <= limits.end; index += 1) {
    if (index >= limits.punctuation && depth === 0) return index;
    const character = text[index];
    if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    if (character === '"' || depth < 0 || depth > maxParenthesisDepth) return undefined;
  }
  return undefined;
}

const email = /^[\p{L}\p{N}_.-]+@[\p{L}\p{N}_.-]+\.[\p{L}\p{N}_]+$/u;
const bitcoin = /^bitcoin:[13][a-km-zA-HJ-NP-Z1-9]{25,34}$/;

function endOfOther(text: string, from: number, limits: Limits): number | undefined {
  const end = limits.punctuation;
  // Cheap tests first, because this runs for many positions in the text.
  if (end <= from || end - from > 1000) return undefined;
  const isBitcoin = text.startsWith("bitcoin:", from);
  if (!isBitcoin && !text.slice(from, end).includes("@")) return undefined;
  const candidate = text.slice(from, end);
  return (isBitcoin ? bitcoin : email).test(candidate) ? end : undefined;
}

function endOfRun(text: string, from: number, limit: number, allowed: RegExp): number {
  let end = from;
  while (end < limit) {
    const character = String.fromCodePoint(text.codePointAt(end) ?? 0);
    if (!allowed.test(character)) break;
    end += character.length;
  }
  return end;
}
