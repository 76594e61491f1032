import { setTimeout as pause } from "node:timers/promises";
import type { Answer, SmokeClient } from "./client.ts";

/** The result of waiting at the wake-up route until a notification. */
export interface RouteProbe {
  /** Milliseconds from the end of `notify` to the redirect of the waiting client. */
  notifiedAfterMs: number;
  /** The answer of the function at the end of the route. */
  finalAnswer: Answer;
}

/** Thrown if the fleet has no wake-up route: its clients wait in another way. */
export class NoWakeUpRouteError extends Error {
  override name = "NoWakeUpRouteError";
}

/** A route that has not answered after this long is waiting, as it should. */
const quietMs = 2_000;

/**
 * Waits at the wake-up route of an event queue, calls `notify` meanwhile, and follows the redirects to their end. Throws if
 * a step does not answer as expected, and NoWakeUpRouteError if the fleet has no such route.
 */
export async function probeWakeUpRoute(
  client: SmokeClient,
  { queueId, lastEventId }: { queueId: string; lastEventId: number },
  notify: () => Promise<unknown>,
): Promise<RouteProbe> {
  const base = `/api/v1/events/${queueId}/${lastEventId}`;
  for (let attempt = 1; ; attempt++) {
    const first = client.send("GET", `${base}/wait-1`);
    const early = await Promise.race([first, pause(quietMs)]);
    if (early?.status === 404) throw new NoWakeUpRouteError("the fleet has no wake-up route");
    if (early) {
      // An earlier notification may still be in the queue; following the route to its end removes it.
      if (attempt === maxAttempts)
        throw new Error(`it answers ${early.status} at once instead of waiting: ${excerpt(early)}`);
      await followToEnd(client, `${base}/wait-1`, early);
      continue;
    }
    await notify();
    const notifiedAt = performance.now();
    const redirected = await first;
    const notifiedAfterMs = Math.max(0, performance.now() - notifiedAt);
    return { notifiedAfterMs, finalAnswer: await followToEnd(client, `${base}/wait-1`, redirected) };
  }
}

/** How often a route that answers at once is tried. */
const maxAttempts = 3;

/** Follows the redirects that begin with `answer` to `path`; returns the answer of the function at their end. */
async function followToEnd(client: SmokeClient, path: string, answer: Answer): Promise<Answer> {
  for (const expected of ["wait-2", "wait-3", "look"]) {
    if (answer.status !== 307 || answer.location !== expected)
      throw new Error(
        `${path} answers ${answer.status} to "${answer.location}", not 307 to "${expected}": ${excerpt(answer)}`,
      );
    path = client.redirectTarget(path, answer);
    answer = await client.send("GET", path);
  }
  return answer;
}

const excerpt = ({ bytes }: Answer) => Buffer.from(bytes).toString().slice(0, 200);
