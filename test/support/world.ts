import { beforeEach, describe, test } from "vitest";
import { addChannel, type NewChannel } from "../../shared/channels/manage/create.ts";
import { type RoleName, roles } from "../../shared/schema/roles.ts";
import type { Channel } from "../../shared/store/channels/channels.ts";
import type { LoggedEvent } from "../../shared/store/log/entry.ts";
import { commit } from "../../shared/store/log/log.ts";
import { settledHead } from "../../shared/store/log/tail.ts";
import { entriesPerPartition, partitionMargin } from "../../shared/store/table/log-end.ts";
import { addUser } from "../../shared/users/manage/create.ts";
import { type CallOptions, call, type Reply } from "./http.ts";
import { target } from "./target.ts";
import { token, unique } from "./unique.ts";

/** Creates people and channels for tests. All test files share one host, so each creates its own. */

Object.assign(process.env, target().environment);

export interface Person {
  id: number;
  email: string;
  name: string;
  apiKey: string;
  call(method: string, path: string, params?: Record<string, unknown>, options?: CallOptions): Promise<Reply>;
}

/** Creates a person with an account; only the address is made unique. */
export async function aPerson(
  name: string,
  { role = "member", password }: { role?: RoleName; password?: string } = {},
): Promise<Person> {
  const email = `${name.toLowerCase().replaceAll(" ", ".")}-${token()}@globe.test`;
  const { user, apiKey } = await addUser({ email, fullName: name, role: roles[role], password });
  return actor(user.id, email, name, apiKey);
}

/** An existing user with their API key. */
export const actor = (id: number, email: string, name: string, apiKey: string): Person => ({
  id,
  email,
  name,
  apiKey,
  call: (method, path, params = {}, options = {}) =>
    call(method, path, params, { credentials: { email, apiKey }, ...options }),
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
 * more is read again than in production.
 */
export const reportsCosts = () => isLocal() && process.env.LAG_INDEX_MS === undefined;

/** So many entries may follow until a read of the log's end takes two queries instead of one (shared/store/table/log-end.ts). */
const logEntriesOfACase = 250;

/**
 * Brings the log to where reading its end costs the same in each run. Until a gap that a dying writer left in an earlier case
 * is half a minute old or has a tombstone, each request reads everything after it; near a partition's end, two partitions.
 */
async function steadyLog(): Promise<void> {
  const { event } = await settledHead();
  const left = entriesPerPartition - (event % entriesPerPartition);
  const isNearEnd = left <= partitionMargin + logEntriesOfACase;
  for (let written = 0; isNearEnd && written < left; written += fifty.length)
    await commit({ events: fifty.length }, () => ({ writes: [], events: fifty, result: undefined }));
  // The host reads what earlier cases wrote, so that this one does not pay for it.
  await (await aPerson("Prompter")).call("GET", "/drafts");
}

const fifty = Array.from(
  { length: 50 },
  (): LoggedEvent => ({ audience: { kind: "users", userIds: [] }, event: { type: "silence" } }),
);

/** A case about costs; skipped where costs are not reported. */
export const costTest = (name: string, run: () => Promise<void>) =>
  test.skipIf(!reportsCosts())(`${name} (where costs are reported)`, async () => {
    await steadyLog();
    await run();
  });

/** Cases about costs; skipped where costs are not reported. */
export const costTests = (name: string, define: () => void) =>
  describe.skipIf(!reportsCosts())(`${name} (where costs are reported)`, () => {
    beforeEach(steadyLog);
    define();
  });

/** A case that only the local host supports; its name says why. */
export const localTest = (reason: string) => (name: string, run: () => Promise<void>) =>
  test.skipIf(!isLocal())(`${name} (local host only: ${reason})`, run);

export { call } from "./http.ts";
