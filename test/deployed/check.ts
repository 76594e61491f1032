/** Throws if what a deployment or a command should have done is not so. */
export function check(condition: boolean, failure: string): void {
  if (!condition) throw new Error(failure);
}
