import { AsyncLocalStorage } from "node:async_hooks";
import { observeAwsCalls } from "../../shared/aws/observe.ts";

/**
 * Lets the table calls of requests pass the bulk writes of the background, such as those of the search index. The engine makes
 * one write after another: each request would otherwise wait for all of the bulk writes that were sent before.
 */

const background = new AsyncLocalStorage<true>();

/** Runs work that no request waits for. */
export const runInBackground = <T>(work: () => Promise<T>): Promise<T> => background.run(true, work);

/** With two, the engine has work while the host prepares the next one. */
const maxBulkWrites = 2;
/** How long a bulk write whose turn has come waits for running calls of requests; short enough to keep pace with them. */
const longestWaitMs = 10;

let requestCalls = 0;
let bulkWrites = 0;
/** Bulk writes that wait for their turn. */
const queued: (() => void)[] = [];
/** Bulk writes that wait until no request calls the table. */
const yielding = new Set<() => void>();

/** From now on bulk writes of the background wait for calls of requests. Returns a function that ends this. */
export function prioritizeRequests(): () => void {
  return observeAwsCalls(async ({ client, command }, proceed) => {
    if (client !== "DynamoDBClient") return proceed();
    if (!background.getStore()) return counted(proceed);
    return command === "BatchWriteItemCommand" ? inTurn(proceed) : proceed();
  });
}

async function counted<T>(call: () => Promise<T>): Promise<T> {
  requestCalls++;
  try {
    return await call();
  } finally {
    requestCalls--;
    if (requestCalls === 0) for (const proceed of yielding) proceed();
  }
}

async function inTurn<T>(call: () => Promise<T>): Promise<T> {
  if (bulkWrites < maxBulkWrites) bulkWrites++;
  else await new Promise<void>((resolve) => queued.push(resolve));
  try {
    if (requestCalls > 0) await yieldToRequests();
    return await call();
  } finally {
    const next = queued.shift();
    if (next) next();
    else bulkWrites--;
  }
}

const yieldToRequests = () =>
  new Promise<void>((resolve) => {
    const proceed = () => {
      clearTimeout(timer);
      yielding.delete(proceed);
      resolve();
    };
    const timer = setTimeout(proceed, longestWaitMs);
    yielding.add(proceed);
  });
