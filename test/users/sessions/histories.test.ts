import { expect, test } from "vitest";
import { resetLinkFor } from "../../../shared/features/joining/mails.ts";
import { transact } from "../../../shared/store/table/transactions.ts";
import { type Account, findAccount } from "../../../shared/store/users/accounts.ts";
import { submit } from "../../support/accounts.ts";
import { randomFrom, seed } from "../../support/random.ts";

import { aPerson, call, isLocal, personWithKey } from "../../support/world.ts";

/** Random histories of one account: sign-ins, ends, new keys, resets, roles, deactivations. What each key may do afterwards. */

const clients = [
  "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  "ZulipFlutter/30.0.265 (Android 15)",
  "python-requests/2.32.3",
];

/** A fleet in an emulator starts a process for each call. */
const steps = isLocal() ? 30 : 12;

test("no ended key is accepted after its end was acknowledged, and no other is refused, after any history", async () => {
  const owner = await aPerson("Escalus", { role: "owner" });
  let password = "a-rose-by-any-other";
  const juliet = await aPerson("Juliet", { password });
  const random = randomFrom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const as = (apiKey: string) => personWithKey(juliet.id, juliet.email, juliet.name, apiKey);
  const signIn = async (client: string): Promise<string> => {
    const { body } = await call("POST", "/fetch_api_key", { username: juliet.email, password }, { client });
    return body.api_key;
  };
  let mainKey = juliet.apiKey;
  let isActive = true;
  const valid = new Set<string>();
  const ended = new Set<string>();
  const end = (keys: Iterable<string>) => {
    for (const key of [...keys]) {
      valid.delete(key);
      ended.add(key);
    }
  };
  /** The API key, which the password shows again after it was replaced by somebody else. */
  const shownKey = async (): Promise<string> => {
    const key = await signIn(clients[0] as string);
    valid.add(key);
    return (await as(key).do("POST", "/users/me/api_key", { password })).api_key;
  };
  const replaceMainKey = async () => {
    ended.add(mainKey);
    mainKey = await shownKey();
  };
  const deviceOf = async (key: string) =>
    (await as(key).do("GET", "/users/me/devices")).devices.find(
      ({ is_current }: { is_current: boolean }) => is_current,
    );

  const actions: Record<string, () => Promise<void>> = {
    "two sign in at once": async () => {
      for (const key of await Promise.all([signIn(pick(clients)), signIn(pick(clients))])) valid.add(key);
    },
    "a sign-in": async () => void valid.add(await signIn(pick(clients))),
    "a page that starts with the API key": async () => {
      const { session_key } = await as(mainKey).do("POST", "/users/me/file_session");
      valid.add(session_key);
    },
    "a device signs out": async () => {
      if (valid.size === 0) return;
      const key = pick([...valid]);
      await as(key).do("DELETE", "/users/me/file_session");
      end([key]);
    },
    "a device is signed out": async () => {
      if (valid.size === 0) return;
      const key = pick([...valid]);
      const { id } = await deviceOf(key);
      await as(pick([mainKey, ...valid])).do("DELETE", `/users/me/devices/${id}`);
      end([key]);
    },
    "a new API key": async () => {
      const key = pick([...valid, mainKey]);
      const { api_key } = await as(key).do("POST", "/users/me/api_key/regenerate");
      end([...valid].filter((other) => other !== key));
      ended.add(mainKey);
      mainKey = api_key;
    },
    "an administrator ends all": async () => {
      await owner.do("DELETE", `/users/${juliet.id}/devices`);
      end(valid);
      await replaceMainKey();
    },
    "a new password": async () => {
      const next = `${password}-${Math.floor(random() * 10)}`;
      await as(mainKey).do("PATCH", "/settings", { old_password: password, new_password: next });
      password = next;
    },
    "a password reset": async () => {
      const { token, write } = resetLinkFor((await findAccount(juliet.email)) as Account);
      await transact([write]);
      password = "that-which-we-call-a-rose";
      const endsKeys = random() < 0.5;
      const reply = await submit(`/password-reset/${token}`, { password, ...(endsKeys && { end_keys: "true" }) });
      expect(reply.status).toBe(200);
      if (!endsKeys) return;
      end(valid);
      await replaceMainKey();
    },
    "another role": async () => {
      await owner.do("PATCH", `/users/${juliet.id}`, { role: pick([400, 300, 600]) });
    },
    "a deactivation": async () => {
      await owner.do("DELETE", `/users/${juliet.id}`);
      end(valid);
      isActive = false;
    },
  };
  const names = Object.keys(actions);

  const history: string[] = [];
  for (let step = 0; step < steps; step++) {
    const name = isActive ? pick(names) : "a reactivation";
    history.push(name);
    if (isActive) await actions[name]?.();
    else {
      await owner.do("POST", `/users/${juliet.id}/reactivate`);
      isActive = true;
    }
    const tried = [...[...ended].slice(-10), ...valid, mainKey];
    const statuses = await Promise.all(tried.map(async (key) => (await as(key).call("GET", "/users/me")).status));
    const expected = tried.map((key) => (isActive && (key === mainKey || valid.has(key)) ? 200 : 401));
    expect([seed, history, statuses]).toEqual([seed, history, expected]);
  }
});
