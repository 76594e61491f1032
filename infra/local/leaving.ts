import type { ServerResponse } from "node:http";

/** Aborts when the client has gone before it was answered. */
export function leaving(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  if (response.destroyed) left.abort();
  response.once("close", () => {
    // An abort makes an exception, which nobody needs of a client that has its answer.
    if (!response.writableFinished) left.abort();
  });
  return left.signal;
}
