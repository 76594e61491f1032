import { test } from "vitest";
import { addChannel, type NewChannel } from "../../shared/channels/manage/create.ts";
import { type RoleName, roles } from "../../shared/schema/roles.ts";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { addUser } from "../../shared/users/manage/create.ts";
import { type CallOptions, call, type Reply } from "./http.ts";
import { target } from "./target.ts";
import { token, unique } from "./unique.ts";

/** The stage on which named people act. Each file makes its own people and channels: all files share one host. */

Object.assign(process.env, target().environment);

export interface Person {
  id: number;
  email: string;
  name: string;
  apiKey: string;
  call(method: string, path: string, params?: Record<string, unknown>, options?: CallOptions): Promise<Reply>;
}

/** A person with an account of their own; the name is made unique in the address alone. */
export async function aPerson(
  name: string,
  { role = "member", password }: { role?: RoleName; password?: string } = {},
): Promise<Person> {
  const email = `${name.toLowerCase().replaceAll(" ", ".")}-${token()}@globe.test`;
  const { user, apiKey } = await addUser({ email, fullName: name, role: roles[role], password });
  return actor(user.id, email, name, apiKey);
}

/** Someone who is known already, with their key. */
export const actor = (id: number, email: string, name: string, apiKey: string): Person => ({
  id,
  email,
  name,
  apiKey,
  call: (method, path, params = {}, options = {}) =>
    call(method, path, params, { credentials: { email, apiKey }, ...options }),
});

/** A channel with a name of its own (beginning with `name`) and the given subscribers. */
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
 * Whether requests say what they cost as they do in everyday use. A deployed function does not tell its caller; where reads
 * lag on purpose (`npm run test:lag`), more is read again than an index that is a moment behind would make necessary.
 */
export const tellsCosts = () => isLocal() && process.env.LAG_INDEX_MS === undefined;

/** A case about costs. */
export const costTest = (name: string, run: () => Promise<void>) =>
  test.skipIf(!tellsCosts())(`${name} (where costs are told)`, run);

/** A case that only the local host can show; its name says why. */
export const localTest = (reason: string) => (name: string, run: () => Promise<void>) =>
  test.skipIf(!isLocal())(`${name} (on the local host alone: ${reason})`, run);

export { call } from "./http.ts";
