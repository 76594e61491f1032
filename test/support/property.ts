/**
 * The body of a property that runs for `limitMs`: runs that would begin later do nothing, and a run that has begun is awaited.
 * fast-check's own time limit does not await it, so it would go on writing to the table of the next test.
 */
export function forAtMost<Args extends unknown[]>(
  limitMs: number,
  body: (...args: Args) => Promise<void>,
): (...args: Args) => Promise<void> {
  const end = Date.now() + limitMs;
  return async (...args) => {
    if (Date.now() < end) await body(...args);
  };
}
