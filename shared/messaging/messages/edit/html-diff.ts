/** Splits HTML into tags, and words with their trailing space. */
const tokensOf = (html: string): string[] => html.match(/<[^>]*>|[^<\s]+\s*|\s+/g) ?? [];
const isTag = (token: string) => token.startsWith("<");
/** Words are compared without their trailing space. */
const wordOf = (token = "") => token.trimEnd();

/**
 * Comparing takes quadratic time. Above this product of token counts, everything between the common prefix and suffix is marked
 * as replaced.
 */
const maxPairs = 250_000;

/**
 * The HTML of the new version with insertions marked, each followed by the words that it replaced. Only elements of the
 * new version are kept, so that the result is as well-formed as that version.
 */
export function htmlDiff(before: string, after: string): string {
  const [oldTokens, newTokens] = [tokensOf(before), tokensOf(after)];
  const maxCommon = Math.min(oldTokens.length, newTokens.length);
  let prefix = 0;
  while (prefix < maxCommon && wordOf(oldTokens[prefix]) === wordOf(newTokens[prefix])) prefix++;
  const isSameFromEnd = (index: number) => wordOf(oldTokens.at(-1 - index)) === wordOf(newTokens.at(-1 - index));
  let suffix = 0;
  while (suffix < maxCommon - prefix && isSameFromEnd(suffix)) suffix++;
  const [oldEnd, newEnd] = [oldTokens.length - suffix, newTokens.length - suffix];
  const middle = diffTokens(oldTokens.slice(prefix, oldEnd), newTokens.slice(prefix, newEnd));
  return `<div>${newTokens.slice(0, prefix).join("")}${middle}${newTokens.slice(newEnd).join("")}</div>`;
}

function diffTokens(oldTokens: readonly string[], newTokens: readonly string[]): string {
  const isTooLarge = oldTokens.length * newTokens.length > maxPairs;
  const common = isTooLarge ? [] : longestCommonSubsequence(oldTokens.map(wordOf), newTokens.map(wordOf));
  let html = "";
  let [oldIndex, newIndex] = [0, 0];
  for (const [nextOld, nextNew] of [...common, [oldTokens.length, newTokens.length] as const]) {
    html += markRuns(newTokens.slice(newIndex, nextNew), "inserted");
    html += markRuns(
      oldTokens.slice(oldIndex, nextOld).filter((token) => !isTag(token)),
      "deleted",
    );
    html += newTokens[nextNew] ?? "";
    [oldIndex, newIndex] = [nextOld + 1, nextNew + 1];
  }
  return html;
}

/** Wraps each run of words in a mark, without its trailing space; tags stay outside of marks. */
function markRuns(tokens: readonly string[], kind: "inserted" | "deleted"): string {
  const runs: string[] = [];
  for (const token of tokens)
    if (isTag(token) || runs.length === 0 || isTag(runs.at(-1) ?? "")) runs.push(token);
    else runs.push(`${runs.pop()}${token}`);
  return runs
    .map((run) => {
      const words = run.trimEnd();
      return isTag(run) || words === ""
        ? run
        : `<span class="highlight_text_${kind}">${words}</span>${run.slice(words.length)}`;
    })
    .join("");
}

/** Index pairs of a longest common subsequence. */
function longestCommonSubsequence(a: readonly string[], b: readonly string[]): [number, number][] {
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  /** The length of a longest common subsequence of what follows these indexes. */
  const lengthFrom = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        a[i] === b[j] ? lengthFrom(i + 1, j + 1) + 1 : Math.max(lengthFrom(i + 1, j), lengthFrom(i, j + 1));
  const pairs: [number, number][] = [];
  for (let [i, j] = [0, 0]; i < a.length && j < b.length; )
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (lengthFrom(i + 1, j) >= lengthFrom(i, j + 1)) i++;
    else j++;
  return pairs;
}
