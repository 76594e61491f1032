import { ApiError, rateLimitHit } from "../errors.ts";
import {
  type AttemptWindow,
  countAttempt,
  forgetAttempts,
  secondsLeft,
  uncountAttempt,
} from "../store/login-attempts.ts";

/** Guessing passwords is slowed: five failures for an account in half an hour, a hundred from an address in a minute. */

const allowed = { account: 5, address: 100 } as const;

const accountWindow = (name: string): AttemptWindow => ({
  kind: "account",
  name: name.trim().toLowerCase(),
  seconds: 1800,
});
const addressWindow = (name: string): AttemptWindow => ({ kind: "address", name, seconds: 60 });

/**
 * Runs `prove`, which throws when the proof fails, unless too many have failed: then RATE_LIMIT_HIT, with the seconds to
 * wait. Attempts are counted before they are tried, so that many at once get no more guesses; success takes its own
 * count back. 3 to 4 write units.
 */
export async function throttled<T>(account: string, address: string, prove: () => Promise<T>): Promise<T> {
  const now = Date.now() / 1000;
  const [mine, near] = [accountWindow(account), addressWindow(address)];
  const used = await Promise.all([countAttempt(mine, now), countAttempt(near, now)]);
  checkAllowed(mine, used[0], now);
  checkAllowed(near, used[1], now);
  try {
    const proven = await prove();
    await Promise.all([forgetAttempts(mine, now), uncountAttempt(near, now)]);
    return proven;
  } catch (error) {
    // What says nothing about the password is no guess.
    if (error instanceof ApiError && error.code === "AUTHENTICATION_FAILED")
      throw withHeaders(error, mine, used[0], now);
    await Promise.all([uncountAttempt(mine, now), uncountAttempt(near, now)]);
    throw error;
  }
}

function checkAllowed(window: AttemptWindow, used: number, now: number): void {
  if (used > allowed[window.kind]) throw withHeaders(rateLimitHit(secondsLeft(window, now)), window, used, now);
}

/** Tells a client how much is left of the limit that it is held to. */
function withHeaders(error: ApiError, window: AttemptWindow, used: number, now: number): ApiError {
  const limit = allowed[window.kind];
  Object.assign(error.headers, {
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(Math.max(0, limit - used)),
    "x-ratelimit-reset": String(Math.ceil(now + secondsLeft(window, now))),
  });
  return error;
}
