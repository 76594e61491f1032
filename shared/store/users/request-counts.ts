import { updateItem } from "../table/transactions.ts";

/** Requests of one person or address, counted in windows of time by all processes that know of any. */
export interface RequestWindow {
  /** What is counted, such as "requests 17". */
  name: string;
  seconds: number;
}

/** What these items' keys begin with: functions that only read may add to them, and to nothing else. */
export const requestCountsPrefix = "REQUESTS#";

/** Seconds from `at` (UNIX time) until the window ends. */
export const secondsLeft = ({ seconds }: Pick<RequestWindow, "seconds">, at: number) => seconds - (at % seconds);

/** Adds to the window that `at` is in, and returns how many requests it then has; 1 write unit. */
export async function addRequests({ name, seconds }: RequestWindow, at: number, by: number): Promise<number> {
  const { requests } = await updateItem<{ requests: number }>(
    { pk: `${requestCountsPrefix}${name}`, sk: String(Math.floor(at / seconds)) },
    { add: { requests: by }, set: { expiresAt: Math.ceil(at + secondsLeft({ seconds }, at)) } },
  );
  return requests;
}
