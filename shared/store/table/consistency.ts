import { AsyncLocalStorage } from "node:async_hooks";

/** How current a read must be; without any of these, as `table.ts` says. */
export interface ReadOptions {
  /** Strongly consistent: twice the read units, and never behind a write that was acknowledged. */
  consistent?: boolean;
  /** As DynamoDB happens to answer, mostly up to a second behind, and no look at what was written lately. */
  mayLag?: boolean;
}

const inConsistentWork = new AsyncLocalStorage<true>();

/** Makes every read of `work` strongly consistent, indexes aside, whatever it asks for itself. */
export const consistently = <T>(work: () => Promise<T>): Promise<T> => inConsistentWork.run(true, work);

export const mustBeConsistent = ({ consistent = false }: ReadOptions) =>
  consistent || inConsistentWork.getStore() === true;
