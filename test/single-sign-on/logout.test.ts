import { expect, test } from "vitest";
import { listPushTokens } from "../../shared/store/delivery/push-tokens.ts";
import { knownConnection, signedInCredentials } from "../support/accounts.ts";
import { send } from "../support/http.ts";
import { withSettings } from "../support/organization.ts";
import { aSubject, beginSignIn, signInAs } from "../support/outside/identity-providers.ts";
import { aPerson, type Person, personWithKey } from "../support/world.ts";

/** The provider reports that somebody has signed out there. */

const event = { "http://schemas.openid.net/event/backchannel-logout": {} };

/** Has the lying provider sign a token. */
async function signedByForge(claims: Record<string, unknown>, signedBy = "published"): Promise<string> {
  const { url } = await beginSignIn("forge");
  const now = Math.floor(Date.now() / 1000);
  const all = { iss: `${url.origin}/forge`, aud: "skein", iat: now, exp: now + 60, jti: aSubject(), events: event };
  const body = JSON.stringify({ claims: { ...all, ...claims }, signedBy });
  return (await fetch(`${url.origin}/forge/sign`, { method: "POST", body })).text();
}

const logOut = (token: string, provider = "forge") =>
  send("POST", `/sign-in/${provider}/logout`, new URLSearchParams({ logout_token: token }).toString(), {});

const isSignedIn = async (person: Person) => (await person.call("GET", "/users/me")).status === 200;

const bound = async () => {
  const [person, sub] = [await aPerson("Viola"), aSubject()];
  signedInCredentials(await signInAs("forge", { sub, email: person.email, email_verified: true }));
  return { person, sub };
};

test("ends every session of that person, and a replayed token does not end the next one", async () => {
  const [{ person, sub }, other] = [await bound(), await bound()];
  const session = await withSettings({ session_age_limit_seconds: 3600 }, async () =>
    personWithKey(person.id, person.email, "", (await person.do("POST", "/users/me/file_session")).session_key),
  );
  expect(await isSignedIn(session)).toBe(true);
  const { expectEnd } = await knownConnection(session);
  await person.do("POST", "/users/me/android_gcm_reg_id", { token: `phone-of-${person.id}` });
  const token = await signedByForge({ sub });

  const reply = await logOut(token);
  await expectEnd();
  const next = signedInCredentials(await signInAs("forge", { sub }));
  const again = personWithKey(person.id, person.email, "", next.apiKey);
  await again.do("POST", "/users/me/android_gcm_reg_id", { token: `new-phone-of-${person.id}` });
  const replayed = await logOut(token);

  expect([reply.status, replayed.status, await isSignedIn(person), await isSignedIn(other.person)]).toEqual([
    ...[200, 200, false, true],
  ]);
  expect([await isSignedIn(session), (await listPushTokens(person.id)).map(({ token }) => token)]).toEqual([
    ...[false, [`new-phone-of-${person.id}`]],
  ]);
  expect(next.apiKey).not.toBe(person.apiKey);
  expect(signedInCredentials(await signInAs("forge", { sub })).apiKey).toBe(next.apiKey);
});

test("a token that is forged, old, for another client, or an ID token ends nothing", async () => {
  const { person, sub } = await bound();
  const now = Math.floor(Date.now() / 1000);
  const tokens = [
    await signedByForge({ sub }, "foreign"),
    await signedByForge({ sub }, "none"),
    await signedByForge({ sub }, "secret"),
    await signedByForge({ sub, aud: "another" }),
    await signedByForge({ sub, iss: "https://other.example" }),
    await signedByForge({ sub, iat: now - 3600, exp: now + 60 }),
    await signedByForge({ sub, iat: now + 120 }),
    await signedByForge({ sub, iat: now + 3600, exp: now + 7200 }),
    await signedByForge({ sub, iat: undefined }),
    await signedByForge({ sub, nbf: now + 3600 }),
    await signedByForge({ sub, exp: now - 120 }),
    await signedByForge({ sub, nonce: "an ID token's" }),
    await signedByForge({ sub, events: {} }),
    await signedByForge({ sub, events: undefined }),
    await signedByForge({ sub, jti: undefined }),
    await signedByForge({ sid: "a session" }),
    "x.y.z",
    "",
  ];

  for (const token of tokens) expect((await logOut(token)).body).toMatchObject({ code: "BAD_REQUEST" });
  expect((await logOut(await signedByForge({ sub }), "twin")).status).toBe(400);
  expect((await logOut(await signedByForge({ sub }), "hub")).body.msg).toContain("does not support back-channel");
  expect((await logOut(await signedByForge({ sub }), "nobody")).status).toBe(404);
  expect((await logOut(await signedByForge({ sub: aSubject() }))).status).toBe(200);
  expect(await isSignedIn(person)).toBe(true);
});
