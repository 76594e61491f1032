import { AsyncLocalStorage } from "node:async_hooks";

export interface ReadOptions {
  /** Strongly consistent: twice the read units, and never behind a write that was acknowledged. */
  consistent?: boolean;
}

const inConsistentWork = new AsyncLocalStorage<true>();

/** Makes every read of `work` strongly consistent, indexes aside, whatever it asks for itself. */
export const consistently = <T>(work: () => Promise<T>): Promise<T> => inConsistentWork.run(true, work);

export const mustBeConsistent = ({ consistent = false }: ReadOptions) =>
  consistent || inConsistentWork.getStore() === true;
