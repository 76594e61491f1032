import { beforeEach, describe, test } from "vitest";
import { type RoleName, roles } from "../../shared/base/schema/roles.ts";
import { addChannel, type NewChannel } from "../../shared/features/channels/create.ts";
import { addUser } from "../../shared/features/users/create.ts";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { settledHead } from "../../shared/store/log/settled-head.ts";
import { type CallOptions, call, mustSucceed, type Reply } from "./http.ts";
import { target } from "./target.ts";
import { token, unique } from "./unique.ts";

/** Creates people and channels for tests. Test files share a host, so each file creates its own people and channels. */

Object.assign(process.env, target().environment);

export interface Person {
  id: number;
  email: string;
  name: string;
  apiKey: string;
  call(method: string, path: string, params?: Record<string, unknown>, options?: CallOptions): Promise<Reply>;
  /** Makes a call that must succeed: returns the body, and throws for any status but 200. */
  do(method: string, path: string, params?: Record<string, unknown>, options?: CallOptions): Promise<any>;
}

/** Creates a person with an account; only the address is made unique. */
export async function aPerson(
  name: string,
  { role = "member", password }: { role?: RoleName; password?: string } = {},
): Promise<Person> {
  const email = `${name.toLowerCase().replaceAll(" ", ".")}-${token()}@globe.test`;
  const { user, apiKey } = await addUser({ email, fullName: name, role: roles[role], password });
  return personWithKey(user.id, email, name, apiKey);
}

/** An existing user as a person who makes calls. */
export const personWithKey = (id: number, email: string, name: string, apiKey: string): Person => ({
  id,
  email,
  name,
  apiKey,
  call: (method, path, params = {}, options = {}) =>
    call(method, path, params, { credentials: { email, apiKey }, ...options }),
  // Calls through `this`, so that a copy of a person with another `call` uses that one.
  async do(method, path, params, options) {
    const { status, body } = await this.call(method, path, params, options);
    mustSucceed(this.name, method, path, status, body);
    return body;
  },
});

/** Creates a channel with a unique name that starts with `name`, and the given subscribers. */
export const aChannel = (
  name: string,
  subscribers: readonly Person[],
  options: Partial<NewChannel> = {},
): Promise<Channel> =>
  addChannel(
    { name: unique(name), ...options },
    null,
    subscribers.map(({ id }) => id),
  );

export const isLocal = () => target().kind === "local";

/**
 * Whether replies report realistic costs. A deployed fleet does not report costs, and with simulated lag (`npm run test:lag`)
 * requests read more items a second time than in production.
 */
export const reportsCosts = () => isLocal() && process.env.LAG_INDEX_MS === undefined;

/**
 * The maximum of read units that a request needs in addition near the end of a log partition, where it also reads the next
 * one (shared/store/table/log-end.ts).
 */
export const partitionEndReadUnits = 1.5;

/**
 * Waits until every sequence number of the log has an entry or a tombstone. A writer that died in an earlier test leaves a gap.
 * Until the gap is half a minute old or has a tombstone, each request reads everything after it again, and so does the first one
 * after that, which would add to the costs that a test measures. That one is made here: any that reads the log's end.
 */
async function settleLog(): Promise<void> {
  await settledHead();
  await call("GET", "/dev_list_users");
}

/**
 * Measures two costs. If they differ in the number of table calls, measures both again, because in between the log may have
 * come near the end of its partition, or past it.
 */
export async function comparableCosts(measure: () => Promise<[Reply["cost"], Reply["cost"]]>) {
  const [one, other] = await measure();
  return one.tableCalls === other.tableCalls ? ([one, other] as const) : measure();
}

/** A test of costs; skipped where costs are not reported. */
export const costTest = (name: string, run: () => Promise<void>) =>
  test.skipIf(!reportsCosts())(`${name} (where costs are reported)`, async () => {
    await settleLog();
    await run();
  });

/** Tests of costs; skipped where costs are not reported. */
export const costTests = (name: string, define: () => void) =>
  describe.skipIf(!reportsCosts())(`${name} (where costs are reported)`, () => {
    beforeEach(settleLog);
    define();
  });

/** A test that only the local host supports; its name says why. */
export const localTest = (reason: string) => (name: string, run: () => Promise<void>) =>
  test.skipIf(!isLocal())(`${name} (local host only: ${reason})`, run);

export { call } from "./http.ts";
