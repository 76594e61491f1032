import { endOfUrl } from "./url-scan.ts";

/** Where URLs stand in a text, from left to right. */
export function* findUrls(text: string, domains: ReadonlySet<string>): Iterable<{ start: number; end: number }> {
  let position = 0;
  for (const word of text.matchAll(/\S+/g)) {
    const wordEnd = word.index + word[0].length;
    if (!/[.:]/.test(word[0])) continue;
    // What may follow a URL in its word: closing punctuation only.
    let punctuation = wordEnd;
    while (punctuation > word.index && `!:;?),.'">`.includes(text[punctuation - 1]!)) punctuation -= 1;
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
