import { expect, test } from "vitest";
import { resetLinkFor } from "../../../shared/features/joining/mails.ts";
import { accessReset, resetPassword } from "../../../shared/features/joining/passwords.ts";
import { setActive } from "../../../shared/features/users/activity.ts";
import { deactivatePerson } from "../../../shared/features/users/deactivation.ts";
import { endOwnDevice } from "../../../shared/features/users/devices.ts";
import { regenerateKey } from "../../../shared/features/users/key-actions.ts";
import { removeDevices } from "../../../shared/messaging/mobile-push/removal.ts";
import { toCaller } from "../../../shared/services/identity/access.ts";
import { hashApiKey } from "../../../shared/services/identity/api-keys.ts";
import { endSession, findSession, sessionIdOf, startSession } from "../../../shared/services/identity/sessions.ts";
import { loadRealm } from "../../../shared/services/organization/access.ts";
import { commit } from "../../../shared/store/log/log.ts";
import { transact } from "../../../shared/store/table/transactions.ts";
import { type Account, findAccount } from "../../../shared/store/users/accounts.ts";
import { findUser, type User } from "../../../shared/store/users/users.ts";
import { withFailure } from "../../support/faults.ts";
import { randomFrom, seed } from "../../support/random.ts";
import { aPerson, call, type Person } from "../../support/world.ts";

/** Functions die while they start and end sessions; the test's own process runs the functions. */

const accountOf = async ({ email }: Person) => (await findAccount(email)) as Account;
const accepts = async ({ email }: Person, apiKey: string): Promise<boolean> =>
  (await call("GET", "/users/me", {}, { credentials: { email, apiKey } })).status === 200;

const signIn = async (person: Person): Promise<string> =>
  (
    await startSession(await accountOf(person), {
      program: { client: "Firefox", system: "Linux", isPersonal: true },
      networkHash: "",
      limits: { ageSeconds: null, idleSeconds: null },
    })
  ).apiKey;

async function sessionOf(person: Person, apiKey: string) {
  const session = findSession(await accountOf(person), hashApiKey(apiKey));
  return session && { session, id: sessionIdOf(session) };
}

/** What ends keys: those of one device, or of all but `kept`. Each may be repeated until it is acknowledged. */
interface End {
  endsOnly?: "target";
  keeps?: "target";
  endsApiKey: boolean;
  run(person: Person, target: string): Promise<unknown>;
}

const ends: Record<string, End> = {
  "a device that signs out": {
    ...{ endsOnly: "target", endsApiKey: false },
    run: async (person, target) => endSession(person.email, { keyHash: hashApiKey(target) }),
  },
  "a device that is signed out": {
    ...{ endsOnly: "target", endsApiKey: false },
    run: async (person, target) => {
      const found = await sessionOf(person, target);
      // After the first attempt, a device may be signed out already, which its owner is told.
      if (found) await endOwnDevice(toCaller(await accountOf(person)), found.id);
    },
  },
  "a new API key": {
    ...{ keeps: "target", endsApiKey: true },
    run: async (person, target) =>
      regenerateKey(person.email, person.id, { keptSession: (await sessionOf(person, target))?.session }),
  },
  "an administrator who ends all": {
    endsApiKey: true,
    run: async (person) => {
      await regenerateKey(person.email, person.id);
      await removeDevices(person.id);
    },
  },
  "a password reset": {
    endsApiKey: true,
    run: async (person) => {
      const { token, write } = resetLinkFor(await accountOf(person));
      await transact([write]);
      const reset = await accessReset(token, await loadRealm());
      await resetPassword(reset, "present-mirth-hath-present-laughter", true, "127.0.0.1");
    },
  },
  "a deactivation": {
    endsApiKey: false,
    run: async (person) => {
      const [user, realm] = [(await findUser(person.id)) as User, await loadRealm()];
      // After the first attempt, the account may be deactivated already.
      if (user.active) await deactivatePerson(user, realm, undefined);
    },
  },
};

const keysThatEnd = ({ endsOnly, keeps }: End, keys: readonly string[], target: string): string[] =>
  keys.filter((key) => (endsOnly ? key === target : keeps ? key !== target : true));

async function reactivate(person: Person): Promise<void> {
  const [user, realm] = [(await findUser(person.id)) as User, await loadRealm()];
  if (!user.active) await commit(await setActive({ user, active: true, realm }));
}

for (const [name, end] of Object.entries(ends))
  test.each(["before", "afterwards"] as const)(
    `${name}: a key has ended or not, the others go on, and what is acknowledged stays, whichever call fails %s it is made`,
    async (when) => {
      for (let nth = 1; ; nth++) {
        const person = await aPerson("Ophelia", { password: "some-have-greatness-thrust-upon" });
        const keys = [await signIn(person), await signIn(person), await signIn(person)];
        const target = keys[1] as string;
        const ending = keysThatEnd(end, keys, target);

        const { reached, error } = await withFailure(nth, when, () => end.run(person, target));

        const refused: string[] = [];
        for (const key of keys) if (!(await accepts(person, key))) refused.push(key);
        // All of them end at once, or none.
        if (refused.length > 0) expect(refused).toEqual(name === "a deactivation" ? keys : ending);
        if (error === undefined) expect(refused).toHaveLength(ending.length);
        else await end.run(person, target);
        await reactivate(person);
        for (const key of keys) expect(await accepts(person, key)).toBe(!ending.includes(key));
        expect(await accepts(person, person.apiKey)).toBe(!end.endsApiKey);
        if (!reached) break;
        expect(nth).toBeLessThan(40);
      }
    },
    120_000,
  );

test("no key is accepted again after it was refused, after any history in which each function dies once", async () => {
  const random = randomFrom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const person = await aPerson("Ophelia", { password: "some-have-greatness-thrust-upon" });
  const valid = new Set<string>();
  const ended = new Set<string>();
  const history: string[] = [];
  for (let step = 0; step < 25; step++) {
    const [nth, when] = [1 + Math.floor(random() * 12), pick(["before", "afterwards"] as const)];
    if (valid.size < 3) {
      history.push(`sign-in that dies ${when} call ${nth}`);
      const { result } = await withFailure(nth, when, () => signIn(person));
      valid.add(result ?? (await signIn(person)));
    } else {
      const name = pick(Object.keys(ends));
      history.push(`${name}, dying ${when} call ${nth}`);
      const end = ends[name] as End;
      const target = pick([...valid]);
      const ending = keysThatEnd(end, [...valid], target);
      const { error } = await withFailure(nth, when, () => end.run(person, target));
      const refused: string[] = [];
      for (const key of valid) if (!(await accepts(person, key))) refused.push(key);
      if (error !== undefined) await end.run(person, target);
      for (const key of [...ending, ...(name === "a deactivation" ? [] : refused)]) {
        valid.delete(key);
        ended.add(key);
      }
      await reactivate(person);
    }
    const tried = [...ended, ...valid];
    const accepted: boolean[] = [];
    for (const key of tried) accepted.push(await accepts(person, key));
    expect([seed, history, accepted]).toEqual([seed, history, tried.map((key) => valid.has(key))]);
  }
}, 240_000);
