import { hashOf } from "../table/keys.ts";
import { getItem } from "../table/reads.ts";
import { updateItem } from "../table/single-writes.ts";
import { type Key, type Update, update, type Write } from "../table/writes.ts";

/**
 * The networks from which an account was signed in to by password, and when its failures were last forgiven. Unlike the account,
 * it also exists by a name that no account has, so it is read together with the counts of attempts.
 */
export interface SignIns {
  /** UNIX seconds of a sign-in from each network, by the network's hash. */
  networks: ReadonlyMap<string, number>;
  /** UNIX seconds: attempts that were counted before do not count. */
  clearedAt: number;
}

const maxNetworks = 20;
const retainedSeconds = 365 * 86_400;
/** A sign-in from a network that was noted since is not noted again. */
const refreshSeconds = 30 * 86_400;
const prefix = "network ";

/** The name is hashed for the same reason as in `login-attempts.ts`. */
const key = (account: string): Key => ({ pk: `SIGNINS#${hashOf(account)}`, sk: "SIGNINS" });

/** 1 read unit. */
export async function findSignIns(account: string, now: number): Promise<SignIns> {
  const item = (await getItem(key(account))) ?? {};
  const networks = Object.entries(item)
    .filter(([name, at]) => name.startsWith(prefix) && (at as number) > now - retainedSeconds)
    .map(([name, at]) => [name.slice(prefix.length), at as number] as const);
  return { networks: new Map(networks), clearedAt: Number((item as { clearedAt?: number }).clearedAt ?? 0) };
}

/** Notes a successful sign-in, unless the same was noted lately; at most 1 write unit. */
export async function noteSignIn(account: string, networkHash: string, signIns: SignIns, now: number): Promise<void> {
  if ((signIns.networks.get(networkHash) ?? 0) > now - refreshSeconds) return;
  await updateItem(key(account), signInUpdate(networkHash, signIns, now));
}

/** Notes a sign-in by which all earlier failures are forgiven. */
export const forgivingSignIn = (account: string, networkHash: string, signIns: SignIns, now: number): Write => {
  const noted = signInUpdate(networkHash, signIns, now);
  return update(key(account), { ...noted, set: { ...noted.set, clearedAt: now } });
};

/** Each network is an attribute, so that concurrent sign-ins from different networks do not conflict. */
function signInUpdate(networkHash: string, { networks }: SignIns, now: number): Update {
  const others = [...networks].filter(([hash]) => hash !== networkHash).sort(([, a], [, b]) => b - a);
  return {
    set: { [`${prefix}${networkHash}`]: now, expiresAt: Math.ceil(now) + retainedSeconds },
    remove: others.slice(maxNetworks - 1).map(([hash]) => `${prefix}${hash}`),
  };
}
