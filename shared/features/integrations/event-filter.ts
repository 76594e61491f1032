export interface EventFilter {
  /** Patterns in which `*` stands for any text; if there are any, only events that match one of them are posted. */
  only: readonly string[];
  exclude: readonly string[];
}

/** Whether an event is to be posted. A post without an event is always. */
export const isWanted = (event: string | undefined, { only, exclude }: EventFilter): boolean =>
  event === undefined ||
  ((only.length === 0 || only.some((pattern) => matches(event, pattern))) &&
    !exclude.some((pattern) => matches(event, pattern)));

/** Matches in at most the product of both lengths: a regular expression with many `*` could take exponential time. */
function matches(event: string, pattern: string): boolean {
  let [at, inPattern] = [0, 0];
  let lastStar: { inPattern: number; at: number } | undefined;
  while (at < event.length) {
    if (pattern[inPattern] === "*") {
      lastStar = { inPattern, at };
      inPattern++;
    } else if (pattern[inPattern] === event[at]) {
      at++;
      inPattern++;
    } else if (lastStar) {
      lastStar.at++;
      at = lastStar.at;
      inPattern = lastStar.inPattern + 1;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(inPattern));
}
