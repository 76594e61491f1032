/**
 * Finds the URLs, host names and e-mail addresses in a string, from left to right. `domains`: the top-level domains. Words end at
 * spaces, at characters that nobody sees, and at the punctuation of languages that have no spaces.
 */
export function* findUrls(text: string, domains: ReadonlySet<string>): Iterable<{ start: number; end: number }> {
  let position = 0;
  for (const found of text.matchAll(word)) {
    const wordEnd = found.index + found[0].length;
    if (!/[.:]/.test(found[0])) continue;
    // Only closing punctuation may follow a URL in its word.
    let punctuation = wordEnd;
    while (punctuation > found.index && closing.includes(text.charAt(punctuation - 1))) punctuation -= 1;
    const limits = { start: found.index, end: wordEnd, punctuation, failedScans: new Map<number, number>() };
    position = Math.max(position, found.index);
    for (const candidate of found[0].matchAll(startOfUrl)) {
      const start = afterLetters(text, found.index + candidate.index, wordEnd, domains);
      if (start < position) continue;
      const end = endOfUrl(text, start, limits, domains);
      if (end === undefined) continue;
      yield { start, end };
      position = end;
    }
  }
}

const word =
  /[^\s\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069。，、；：！？（）「」『』【】《》〈〉“”｡､｢｣［］｛｝〔〕〖〗＜＞]+/g;

/**
 * What may stand between a URL and the end of its word, and in paths only before more: quotes, dashes and the ends of sentences in
 * Arabic and Urdu, in languages of India, Southeast Asia and Ethiopia, in Armenian, Greek and Japanese.
 */
const closing = `!:;?),.'">…’»‘›‥—–،؛؟۔।॥။၊។៕።፣፤፥፧։·・～〜．`;

/**
 * Where a URL may begin: at a word's start, after opening punctuation, and after an emoji; with `http`, also after letters without
 * upper and lower case, most of whose scripts have no spaces or join short words to the next, and after other characters that are
 * neither ASCII nor letters.
 */
const startOfUrl =
  /(?<![^'"(,:<«‹„‚])[^'"(,:<«‹„‚]|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]|\ufe0f|\u20e3)[\p{L}\p{N}]|(?<=\p{Lo}|\p{Lm}|[^\p{ASCII}\p{L}\p{N}])(?:[Hh]ttps?|HTTPS?):\/\//gu;

/** The first letter or digit of a name after letters without upper and lower case. */
const afterLetter = /[A-Za-z\d](?<=[\p{Lo}\p{Lm}]\p{M}*[A-Za-z\d])/gu;

/**
 * Where a name begins that letters without upper and lower case precede, which belong to the sentence with what is before them:
 * "请看example.com", "URLはexample.com". In a word of several names, the last such letters before the end of the first name.
 */
function afterLetters(text: string, from: number, wordEnd: number, domains: ReadonlySet<string>): number {
  scheme.lastIndex = from;
  if (scheme.test(text)) return from;
  const runEnd = endOfRun(text, from, wordEnd, emailCharacter);
  const end = endBeforeLetters(text, from, runEnd, domains) ?? runEnd;
  let start = from;
  for (const { index } of text.slice(from, end).matchAll(afterLetter)) start = from + index;
  return start;
}

const domainBeforeLetters = /\.([A-Za-z]{2,63})(?::\d{1,5})?(?=[.:]*[\p{Lo}\p{Lm}])/gu;

/**
 * Where a host name ends that such letters follow, as in "example.com에서": behind a known top-level domain. Undefined for others,
 * and for names that the letters belong to, because a known domain is at their end.
 */
function endBeforeLetters(text: string, from: number, to: number, domains: ReadonlySet<string>): number | undefined {
  const name = text.slice(from, to);
  if (domains.has(name.slice(name.lastIndexOf(".") + 1))) return undefined;
  for (const { 0: ending, 1: domain = "", index } of name.matchAll(domainBeforeLetters))
    if (domains.has(domain.toLowerCase())) return from + index + ending.length;
  return undefined;
}

const hostCharacter = /[\p{L}\p{N}_.:@-]/u;
const nameCharacter = /[\p{L}\p{N}_.-]/u;
const maxParenthesisDepth = 7;

interface WordLimits {
  /** The end of the word. */
  end: number;
  /** Where the punctuation at the word's end starts. A URL ends there or later. */
  punctuation: number;
  start: number;
  /**
   * The indexes at which scans of paths gave up, by the number of parentheses open where they began. A scan that begins before
   * such an index with as many open parentheses would give up there too.
   */
  failedScans: Map<number, number>;
  /** The number of parentheses that are open before each index of the word, less those that are closed too often. */
  openParentheses?: Int32Array;
}

/**
 * The end of the URL that begins at an index, or undefined. Not a regular expression, because one that allows nested pairs of
 * parentheses takes exponential time on unpaired ones.
 */
function endOfUrl(text: string, from: number, limits: WordLimits, domains: ReadonlySet<string>): number | undefined {
  return (
    endOfHttp(text, from, limits, domains) ??
    endOfHostName(text, from, limits, domains) ??
    endOfEmailOrBitcoin(text, from, limits, domains)
  );
}

const scheme = /(?:[Hh]ttps?|HTTPS?):\/\//y;

function endOfHttp(text: string, from: number, limits: WordLimits, domains: ReadonlySet<string>): number | undefined {
  scheme.lastIndex = from;
  if (!scheme.test(text)) return undefined;
  const hostStart = scheme.lastIndex;
  const hostEnd = endOfRun(text, hostStart, limits.end, hostCharacter);
  if (hostEnd === hostStart) return undefined;
  const cut = endBeforeLetters(text, hostStart, hostEnd, domains);
  if (cut !== undefined) return cut;
  const minEnd = Math.max(limits.punctuation, hostStart + 1);
  if (minEnd <= hostEnd) return minEnd;
  if (/[/?#]/.test(text.charAt(hostEnd))) return endOfPath(text, hostEnd, limits);
  // A dash or a typographic apostrophe, with which what follows begins.
  let nameEnd = hostEnd;
  while (nameEnd > hostStart && ".:@-".includes(text.charAt(nameEnd - 1))) nameEnd -= 1;
  return (text.charCodeAt(hostEnd) > 127 || isSentence(text, hostEnd)) && nameEnd > hostStart ? nameEnd : undefined;
}

/** Neither ASCII nor a letter or digit, such as an emoji or a dash; or closing punctuation before one, or before letters without case. */
const sentence = /[!:;?),.'">]*[^\p{ASCII}\p{L}\p{M}\p{N}]|[!:;?),.'">]+[\p{Lo}\p{Lm}]/uy;

/** Whether what begins at an index, without a space, cannot belong to a name before it: "见(example.com)中文". */
function isSentence(text: string, index: number): boolean {
  sentence.lastIndex = index;
  return sentence.test(text);
}

/** What follows a host name without a path is a query only if it has a parameter's value: "example.com?Yes" is two sentences. */
const query = /\?[\w.%[\]-]{1,100}=/y;

function endOfHostName(
  text: string,
  from: number,
  limits: WordLimits,
  domains: ReadonlySet<string>,
): number | undefined {
  const fullEnd = endOfRun(text, from, limits.end, nameCharacter);
  const cut = endBeforeLetters(text, from, fullEnd, domains) ?? (isSentence(text, fullEnd) ? fullEnd : undefined);
  const runEnd = cut ?? fullEnd;
  query.lastIndex = runEnd;
  const hasPath = cut === undefined && runEnd < limits.end && (text[runEnd] === "/" || query.test(text));
  // Without a path, the name ends before the punctuation: a final dot ends the sentence.
  const nameEnd = hasPath ? runEnd : Math.min(runEnd, limits.punctuation);
  if (!hasPath && cut === undefined && (runEnd < limits.punctuation || nameEnd <= from)) return undefined;
  const labels = text.slice(from, nameEnd).split(".");
  if (labels.length < 2 || labels.some((label) => label === "") || !domains.has(labels.at(-1) ?? "")) return undefined;
  return hasPath ? endOfPath(text, nameEnd, limits) : nameEnd;
}

/** Parentheses in a path, a query or a fragment must be in pairs. An unpaired one at the end belongs to the sentence around the URL. */
function endOfPath(text: string, slash: number, limits: WordLimits): number | undefined {
  const open = limits.failedScans.size === 0 ? 0 : openParenthesesAt(text, slash, limits);
  if (slash < (limits.failedScans.get(open) ?? -1)) return undefined;
  const { end, stop } = scanPath(text, slash, limits);
  if (end === undefined) limits.failedScans.set(openParenthesesAt(text, slash, limits), stop);
  return end;
}

/** The end of a path, or where the scan for it gave up. */
function scanPath(text: string, slash: number, limits: WordLimits): { end?: number; stop: number } {
  let depth = 0;
  for (let index = slash + 1; index <= limits.end; index += 1) {
    if (index >= limits.punctuation && depth === 0) return { end: index, stop: index };
    const character = text[index];
    if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    if (character === '"' || depth < 0 || depth > maxParenthesisDepth)
      return depth <= 0 && isSentence(text, index) ? { end: index, stop: index } : { stop: index };
  }
  return { stop: limits.end };
}

function openParenthesesAt(text: string, index: number, limits: WordLimits): number {
  limits.openParentheses ??= countParentheses(text, limits);
  return limits.openParentheses[index - limits.start] ?? 0;
}

function countParentheses(text: string, { start, end }: WordLimits): Int32Array {
  const counts = new Int32Array(end - start + 1);
  for (let index = start; index < end; index += 1) {
    const character = text[index];
    counts[index - start + 1] = (counts[index - start] ?? 0) + (character === "(" ? 1 : character === ")" ? -1 : 0);
  }
  return counts;
}

/** E-mail addresses are at most this long. */
const maxEmailCharacters = 1000;
const maxBitcoinCharacters = 50;
const emailCharacter = /[\p{L}\p{N}_.@-]/u;
const email = /^[\p{L}\p{N}_.-]+@[\p{L}\p{N}_.-]+\.[\p{L}\p{N}_]+$/u;
const bitcoin = /^bitcoin:[13][a-km-zA-HJ-NP-Z1-9]{25,34}$/;

function endOfEmailOrBitcoin(
  text: string,
  from: number,
  limits: WordLimits,
  domains: ReadonlySet<string>,
): number | undefined {
  let end = limits.punctuation;
  if (end <= from || end - from > maxEmailCharacters) return undefined;
  if (text.startsWith("bitcoin:", from))
    return end - from <= maxBitcoinCharacters && bitcoin.test(text.slice(from, end)) ? end : undefined;
  // Most candidates end before the end of the word, and need no slice of the rest of it.
  const runEnd = endOfRun(text, from, end, emailCharacter);
  const cut = endBeforeLetters(text, from, runEnd, domains) ?? (isSentence(text, runEnd) ? runEnd : undefined);
  if (cut === undefined && runEnd < end) return undefined;
  end = cut ?? end;
  return email.test(text.slice(from, end)) ? end : undefined;
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
