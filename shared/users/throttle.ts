import { ApiError, rateLimitHit } from "../errors.ts";
import { networkOf } from "../network.ts";
import { type AttemptWindow, countAttempt, resetAttempts, uncountAttempt } from "../store/users/login-attempts.ts";
import { secondsLeft } from "../store/users/request-counts.ts";

/**
 * Limits password guessing: five failures per account and network in half an hour, and a hundred per network in a minute.
 * Failures from other networks never lock the owner out.
 */

const maxAttempts = { account: 5, address: 100 } as const;

const accountWindow = (name: string, network: string): AttemptWindow => ({
  kind: "account",
  name: `${name.trim().toLowerCase()} ${network}`,
  seconds: 1800,
});
const addressWindow = (network: string): AttemptWindow => ({ kind: "address", name: network, seconds: 60 });

/**
 * Runs `authenticate`; throws RATE_LIMIT_HIT with the seconds to wait after too many
 * failures. Attempts are counted before they run, so that concurrent ones get no extra guesses; a success is uncounted.
 * Costs 3 to 4 write units.
 */
export async function throttle<T>(account: string, sourceIp: string, authenticate: () => Promise<T>): Promise<T> {
  const now = Date.now() / 1000;
  const network = networkOf(sourceIp);
  const [byAccount, byNetwork] = [accountWindow(account, network), addressWindow(network)];
  const attemptCounts = await Promise.all([countAttempt(byAccount, now), countAttempt(byNetwork, now)]);
  checkAllowed(byAccount, attemptCounts[0], now);
  checkAllowed(byNetwork, attemptCounts[1], now);
  try {
    const result = await authenticate();
    await Promise.all([resetAttempts(byAccount, now), uncountAttempt(byNetwork, now)]);
    return result;
  } catch (error) {
    // Other errors reveal nothing about the password: do not count them as guesses.
    if (error instanceof ApiError && error.code === "AUTHENTICATION_FAILED")
      throw withHeaders(error, byAccount, attemptCounts[0], now);
    await Promise.all([uncountAttempt(byAccount, now), uncountAttempt(byNetwork, now)]);
    throw error;
  }
}

function checkAllowed(window: AttemptWindow, attemptCount: number, now: number): void {
  if (attemptCount > maxAttempts[window.kind])
    throw withHeaders(rateLimitHit(secondsLeft(window, now)), window, attemptCount, now);
}

function withHeaders(error: ApiError, window: AttemptWindow, attemptCount: number, now: number): ApiError {
  const limit = maxAttempts[window.kind];
  Object.assign(error.headers, {
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(Math.max(0, limit - attemptCount)),
    "x-ratelimit-reset": String(Math.ceil(now + secondsLeft(window, now))),
  });
  return error;
}
