import type { CallOptions, TableCallName, TableRequests, TableResults } from "./port.ts";

/**
 * Observers of the store's calls to the table, whatever adapter answers them. They are outside of the adapter's retries: an observer
 * sees a call once.
 */

/** A call of the store. */
export type TableCall = {
  [Name in TableCallName]: { name: Name; request: TableRequests[Name]; options: CallOptions | undefined };
}[TableCallName];

/** What a call resolves to. */
// biome-ignore lint/suspicious/noExplicitAny: the result of any call.
export type TableResult = any;

/**
 * A function that wraps each call. It returns the result of `proceed`, throws to make the call fail, or returns a result of its
 * own. `proceed` sends the call's request and may be called more than once.
 */
type TableObserver = (call: TableCall, proceed: () => Promise<TableResult>) => Promise<TableResult>;

const observers = new Set<TableObserver>();

/**
 * Lets `observer` see, change or refuse every call from now on. The newest observer is called first, and its `proceed` calls
 * the earlier ones. Returns a function that removes the observer; calling it again does nothing.
 */
export function observeTableCalls(observer: TableObserver): () => void {
  observers.add(observer);
  return () => void observers.delete(observer);
}

/** Sends a call through all observers. */
export function sendObserved<Name extends TableCallName>(
  name: Name,
  request: TableRequests[Name],
  options: CallOptions | undefined,
  send: () => Promise<TableResults[Name]>,
): Promise<TableResults[Name]> {
  const call = { name, request, options } as TableCall;
  let proceed = send;
  for (const observer of observers) {
    const inner = proceed;
    proceed = async () => observer(call, inner);
  }
  return proceed();
}
