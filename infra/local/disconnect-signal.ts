import type { ServerResponse } from "node:http";

/** A signal that aborts when the client disconnects before its request was answered. */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const disconnected = new AbortController();
  if (response.destroyed) disconnected.abort();
  response.once("close", () => {
    // No abort after the answer: creating its exception costs time on every request.
    if (!response.writableFinished) disconnected.abort();
  });
  return disconnected.signal;
}
