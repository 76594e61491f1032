import { InvocationValue } from "../../invocation.ts";
import type { Item, Key } from "./writes.ts";

export interface BatchedReads {
  load(keys: readonly Key[], consistent: boolean): Promise<Item[]>;
}

/** The batched reads of an invocation. Its first read creates them, because functions without a table do not load the SDK. */
export const batchingScope = new InvocationValue<{ reads?: BatchedReads }>("batched reads");

/** Runs a request or a job whose reads by key are batched. Other code makes a call for each read. */
export const withBatching = <T>(work: () => Promise<T>): Promise<T> => batchingScope.run({}, work);
