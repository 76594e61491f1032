import { setTimeout as pause } from "node:timers/promises";
import type { Answer, SmokeClient } from "./client.ts";

/** What a walk along the wake-up route showed. */
export interface Walk {
  /** Milliseconds from the end of `notify` to the redirect of the client that waited. */
  notifiedAfterMs: number;
  /** What the function at the end of the route answered. */
  last: Answer;
}

/** The route is not there: the fleet's clients wait in another way. */
export class NoWakeUpRoute extends Error {
  override name = "NoWakeUpRoute";
}

/** A client that is notified after this long must have been waiting until then. */
const quietMs = 2_000;

/**
 * Waits at the wake-up route of an event queue, calls `notify` meanwhile, and follows the redirects to their end. Throws
 * what was not as it must be; NoWakeUpRoute where the fleet has none.
 */
export async function walkWakeUpRoute(
  client: SmokeClient,
  { queueId, lastEventId }: { queueId: string; lastEventId: number },
  notify: () => Promise<unknown>,
): Promise<Walk> {
  const beside = `/api/v1/events/${queueId}/${lastEventId}`;
  for (let attempt = 1; ; attempt++) {
    const first = client.send("GET", `${beside}/wait-1`);
    const early = await Promise.race([first, pause(quietMs)]);
    if (early?.status === 404) throw new NoWakeUpRoute("the fleet has no wake-up route");
    if (early) {
      // A notification of what happened before may be there still; the end of the route takes it away.
      if (attempt === maxAttempts)
        throw new Error(`it answers ${early.status} at once instead of waiting: ${told(early)}`);
      await followToEnd(client, `${beside}/wait-1`, early);
      continue;
    }
    await notify();
    const notifiedAt = performance.now();
    const redirected = await first;
    const notifiedAfterMs = Math.max(0, performance.now() - notifiedAt);
    return { notifiedAfterMs, last: await followToEnd(client, `${beside}/wait-1`, redirected) };
  }
}

const maxAttempts = 3;

/** Follows the redirects that begin with `answer` to `path`; returns the answer of the function at their end. */
async function followToEnd(client: SmokeClient, path: string, answer: Answer): Promise<Answer> {
  for (const expected of ["wait-2", "wait-3", "look"]) {
    if (answer.status !== 307 || answer.location !== expected)
      throw new Error(
        `${path} answers ${answer.status} to "${answer.location}", not 307 to "${expected}": ${told(answer)}`,
      );
    path = client.follow(path, answer);
    answer = await client.send("GET", path);
  }
  return answer;
}

const told = ({ bytes }: Answer) => Buffer.from(bytes).toString().slice(0, 200);
