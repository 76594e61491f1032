import { updateItem } from "../table/single-writes.ts";

/** The requests of a user or network address in a fixed time window, counted across processes. */
interface RequestWindow {
  /** What is counted, such as "requests 17". */
  name: string;
  seconds: number;
}

/**
 * The prefix of these items' keys. Functions that otherwise only read may write only these items, which IAM enforces by this
 * prefix.
 */
export const requestCountsPrefix = "REQUESTS#";

/** Seconds from `at` (UNIX time) until the window ends. */
export const secondsLeft = ({ seconds }: Pick<RequestWindow, "seconds">, at: number) => seconds - (at % seconds);

/** Adds to the count of the window that contains `at` (UNIX time) and returns the total; 1 write unit. */
export async function addRequests({ name, seconds }: RequestWindow, at: number, by: number): Promise<number> {
  const { requests } = await updateItem<{ requests: number }>(
    { pk: `${requestCountsPrefix}${name}`, sk: String(Math.floor(at / seconds)) },
    { add: { requests: by }, set: { expiresAt: Math.ceil(at + secondsLeft({ seconds }, at)) } },
  );
  return requests;
}
