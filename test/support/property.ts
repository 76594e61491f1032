/**
 * The body of a property that runs for `limitMs`: runs that would begin later do nothing, and one that has begun is awaited.
 * fast-check's own time limit leaves that one behind, which then goes on in the next case's table.
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
