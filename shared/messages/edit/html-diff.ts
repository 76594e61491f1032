/** Splits HTML into tags, and words with their trailing space. */
const tokensOf = (html: string): string[] => html.match(/<[^>]*>|[^<\s]+\s*|\s+/g) ?? [];
const isTag = (token: string) => token.startsWith("<");
/** Words are compared without their trailing space. */
const wordOf = (token = "") => token.trimEnd();

/** The comparison is quadratic: above this product of token counts, everything between the common prefix and suffix is marked as replaced. */
const maxPairs = 250_000;

/**
 * The HTML of the new version with insertions marked, each followed by the words that it replaced. Only elements of the
 * new version are kept, so that the result is as well-formed as that version.
 */
export function htmlDiff(before: string, after: string): string {
  const [old, now] = [tokensOf(before), tokensOf(after)];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && wordOf(old[start]) === wordOf(now[start])) start++;
  let end = 0;
  while (end < shorter - start && wordOf(old.at(-1 - end)) === wordOf(now.at(-1 - end))) end++;
  const middle = diffTokens(old.slice(start, old.length - end), now.slice(start, now.length - end));
  return `<div>${now.slice(0, start).join("")}${middle}${now.slice(now.length - end).join("")}</div>`;
}

function diffTokens(old: readonly string[], now: readonly string[]): string {
  const common = old.length * now.length > maxPairs ? [] : longestCommonSubsequence(old.map(wordOf), now.map(wordOf));
  let html = "";
  let [atOld, atNow] = [0, 0];
  for (const [nextOld, nextNow] of [...common, [old.length, now.length] as const]) {
    html += markRuns(now.slice(atNow, nextNow), "inserted");
    html += markRuns(
      old.slice(atOld, nextOld).filter((token) => !isTag(token)),
      "deleted",
    );
    html += now[nextNow] ?? "";
    [atOld, atNow] = [nextOld + 1, nextNow + 1];
  }
  return html;
}

/** Wraps each run of words in a mark, without its trailing space; tags stay outside of marks. */
function markRuns(tokens: readonly string[], what: "inserted" | "deleted"): string {
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

/** Index pairs of a longest common subsequence. */
function longestCommonSubsequence(old: readonly string[], now: readonly string[]): [number, number][] {
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
