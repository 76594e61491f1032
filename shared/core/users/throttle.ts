import { ApiError, rateLimitHit } from "../../base/errors.ts";
import { networkOf } from "../../base/network.ts";
import { hashOfNetwork } from "../../services/identity/network-hash.ts";
import type { Write } from "../../store/table/writes.ts";
import {
  type AttemptCount,
  type AttemptWindow,
  countAttempt,
  recountAttempt,
  resetAttempts,
  uncountAttempt,
} from "../../store/users/login-attempts.ts";
import { secondsLeft } from "../../store/users/request-counts.ts";
import { findSignIns, forgivingSignIn, noteSignIn, type SignIns } from "../../store/users/sign-ins.ts";

/**
 * Limits password guessing: five failures per account and network in half an hour, a hundred per network in a minute, and a
 * hundred per account in six hours from all networks together from which nobody has signed in to it before. So failures from
 * other networks never lock the owner out where they have signed in, and who guesses from many networks has a bound, too.
 */

const maxAttempts = { account: 5, strangers: 100, address: 100 } as const;

const nameOf = (account: string) => account.trim().toLowerCase();
const accountWindow = (account: string, network: string): AttemptWindow => ({
  kind: "account",
  name: `${account} ${network}`,
  seconds: 1800,
});
const strangersWindow = (account: string): AttemptWindow => ({ kind: "strangers", name: account, seconds: 6 * 3600 });
const addressWindow = (network: string): AttemptWindow => ({ kind: "address", name: network, seconds: 60 });

/**
 * Runs `authenticate`; throws RATE_LIMIT_HIT with the seconds to wait after too many
 * failures. Attempts are counted before they run, so that concurrent ones get no extra guesses; a success is uncounted.
 * Costs 1 read unit and 3 to 4 write units, and from a network that is unknown to the account up to 3 more.
 */
export async function throttle<T>(username: string, sourceIp: string, authenticate: () => Promise<T>): Promise<T> {
  const now = Date.now() / 1000;
  const [account, network] = [nameOf(username), networkOf(sourceIp)];
  const [byAccount, byNetwork] = [accountWindow(account, network), addressWindow(network)];
  const [accountCount, networkCount, signIns, hash] = await Promise.all([
    countAttempt(byAccount, now),
    countAttempt(byNetwork, now),
    findSignIns(account, now),
    hashOfNetwork(account, sourceIp),
  ]);
  checkAllowed(byNetwork, networkCount, now);
  const shown = await checkUnforgiven(byAccount, accountCount, signIns, now);
  const counted = [byAccount, byNetwork];
  // Attempts that are refused by their own network do not count against the others.
  if (!signIns.networks.has(hash)) {
    const byStrangers = strangersWindow(account);
    await checkUnforgiven(byStrangers, await countAttempt(byStrangers, now), signIns, now);
    counted.push(byStrangers);
  }
  const uncount = (windows: AttemptWindow[]) => Promise.all(windows.map((window) => uncountAttempt(window, now)));
  try {
    const result = await authenticate();
    await Promise.all([
      resetAttempts(byAccount, now),
      uncount(counted.filter((window) => window !== byAccount)),
      noteSignIn(account, hash, signIns, now),
    ]);
    return result;
  } catch (error) {
    // Other errors reveal nothing about the password: do not count them as guesses.
    if (error instanceof ApiError && error.code === "AUTHENTICATION_FAILED")
      throw withHeaders(error, byAccount, shown, now);
    await uncount(counted);
    throw error;
  }
}

/** The write by which whoever proves to own an account, at its creation or by a link in a mail, may sign in from their network. */
export async function ownerSignIn(email: string, sourceIp: string): Promise<Write> {
  const now = Date.now() / 1000;
  const account = nameOf(email);
  const [signIns, hash] = await Promise.all([findSignIns(account, now), hashOfNetwork(account, sourceIp)]);
  return forgivingSignIn(account, hash, signIns, now);
}

/** Returns the count, without failures before the owner's last reset of the password; throws if it exceeds the limit. */
async function checkUnforgiven(
  window: AttemptWindow,
  count: AttemptCount,
  { clearedAt }: SignIns,
  now: number,
): Promise<AttemptCount> {
  const unforgiven = count.since < clearedAt ? await recountAttempt(window, now, count) : count;
  checkAllowed(window, unforgiven, now);
  return unforgiven;
}

function checkAllowed(window: AttemptWindow, count: AttemptCount, now: number): void {
  if (count.attempts > maxAttempts[window.kind])
    throw withHeaders(rateLimitHit(secondsLeft(window, now)), window, count, now);
}

function withHeaders(error: ApiError, window: AttemptWindow, { attempts }: AttemptCount, now: number): ApiError {
  const limit = maxAttempts[window.kind];
  Object.assign(error.headers, {
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(Math.max(0, limit - attempts)),
    "x-ratelimit-reset": String(Math.ceil(now + secondsLeft(window, now))),
  });
  return error;
}
