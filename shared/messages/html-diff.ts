/** Tags, and words with the space behind them. */
const tokensOf = (html: string): string[] => html.match(/<[^>]*>|[^<\s]+\s*|\s+/g) ?? [];
const isTag = (token: string) => token.startsWith("<");
/** A word is the same whatever space is behind it. */
const wordOf = (token = "") => token.trimEnd();

/** With more pairs of tokens to compare than these, all that lies between what is alike counts as new. */
const mostPairs = 250_000;

/**
 * The HTML of a text with what is new in it and, behind that, what it replaced marked as such (companion reference, C).
 * Its elements are those of the new text, so that it is as well formed.
 */
export function htmlDiff(before: string, after: string): string {
  const [old, now] = [tokensOf(before), tokensOf(after)];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && wordOf(old[start]) === wordOf(now[start])) start++;
  let end = 0;
  while (end < shorter - start && wordOf(old.at(-1 - end)) === wordOf(now.at(-1 - end))) end++;
  const middle = merged(old.slice(start, old.length - end), now.slice(start, now.length - end));
  return `<div>${now.slice(0, start).join("")}${middle}${now.slice(now.length - end).join("")}</div>`;
}

function merged(old: readonly string[], now: readonly string[]): string {
  const common = old.length * now.length > mostPairs ? [] : alike(old.map(wordOf), now.map(wordOf));
  let html = "";
  let [atOld, atNow] = [0, 0];
  for (const [nextOld, nextNow] of [...common, [old.length, now.length] as const]) {
    html += marked(now.slice(atNow, nextNow), "inserted");
    html += marked(
      old.slice(atOld, nextOld).filter((token) => !isTag(token)),
      "deleted",
    );
    html += now[nextNow] ?? "";
    [atOld, atNow] = [nextOld + 1, nextNow + 1];
  }
  return html;
}

/** Runs of words in a mark each; the space behind a run is not part of it, and tags stand by themselves. */
function marked(tokens: readonly string[], what: "inserted" | "deleted"): string {
  const runs: string[] = [];
  for (const token of tokens)
    if (isTag(token) || runs.length === 0 || isTag(runs.at(-1) ?? "")) runs.push(token);
    else runs.push(`${runs.pop()}${token}`);
  return runs
    .map((run) => {
      const words = run.trimEnd();
      return isTag(run) || words === ""
        ? run
        : `<span class="highlight_text_${what}">${words}</span>${run.slice(words.length)}`;
    })
    .join("");
}

/** The places of a longest row of words that both have. */
function alike(old: readonly string[], now: readonly string[]): [number, number][] {
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      lengths[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const pairs: [number, number][] = [];
  for (let [i, j] = [0, 0]; i < old.length && j < now.length; )
    if (old[i] === now[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  return pairs;
}
