import { describe, expect, onTestFinished, test, vi } from "vitest";
import { signInByProvider } from "../../shared/features/single-sign-on/sign-in.ts";
import { apiKeyOfAccount } from "../../shared/services/identity/api-keys.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import { open, signedInCredentials } from "../support/accounts.ts";
import { type Reply, send } from "../support/http.ts";
import { mailsTo } from "../support/mails.ts";
import {
  aSubject,
  beginSignIn,
  finishSignIn,
  lyingCallback,
  signInAs,
  signInAtAcme,
} from "../support/outside/identity-providers.ts";
import { aPerson, call, type Person } from "../support/world.ts";

/** Every way into another's account that we know of, and what happens when a provider fails. */

const text = ({ bytes }: Reply) => bytes.toString();
const expectRefused = (reply: Reply, message: string, status = 400) => {
  expect([reply.status, text(reply)]).toEqual([status, expect.stringContaining(message)]);
  expect(text(reply)).not.toContain("data-key");
};
const acme = { id: "acme", name: "Acme", issuer: "https://id.acme.example", client_id: "skein" };
const notBegunHere = "This sign-in was not started in this browser";
const untrusted = "cannot be trusted or understood";
const verified = (person: Person, sub = aSubject()) => ({ sub, email: person.email, email_verified: true });

describe("a sign-in that this browser did not begin", () => {
  test("is refused without the cookie, with another's, or with one that was changed (login forgery)", async () => {
    const victim = await aPerson("Victim");
    const [attackers, victims] = [await beginSignIn("forge"), await beginSignIn("forge")];
    const callback = lyingCallback(attackers, verified(victim));
    const content = attackers.cookie.split("=")[1]?.split(".")[0] ?? "";
    const changed = Buffer.from(Buffer.from(content, "base64url").toString().replace('"forge"', '"twin"')).toString(
      "base64url",
    );

    const replies = [
      await finishSignIn({ ...attackers, cookie: "" }, callback),
      await finishSignIn(victims, callback),
      await finishSignIn({ ...attackers, cookie: attackers.cookie.replace(content, changed) }, callback),
      await finishSignIn({ ...attackers, cookie: "skein_sign_in=x.y" }, callback),
      await finishSignIn({ ...attackers, cookie: "skein_sign_in=" }, callback),
    ];

    for (const reply of replies) expectRefused(reply, notBegunHere);
    signedInCredentials(await finishSignIn(attackers, callback));
  });

  test("is refused at another provider's address (mix-up)", async () => {
    const victim = await aPerson("Victim");
    const begun = await beginSignIn("forge");
    const callback = lyingCallback(begun, verified(victim));

    expectRefused(await finishSignIn({ ...begun, provider: "twin" }, callback), notBegunHere);
  });

  test("is refused if the provider that answers is not the one that was asked (mix-up)", async () => {
    const victim = await aPerson("Victim");
    const [begun, other] = [await beginSignIn("forge"), await beginSignIn("forge")];
    const callback = lyingCallback(begun, verified(victim));
    callback.set("iss", callback.get("iss")?.replace("forge", "twin") ?? "");
    const withoutIssuer = lyingCallback(other, verified(victim));
    withoutIssuer.delete("iss");

    expectRefused(await finishSignIn(begun, callback), untrusted);
    expectRefused(await finishSignIn(other, withoutIssuer), untrusted);
  });
});

describe("what was used", () => {
  test("an attempt ends once, also when two requests end it at the same moment (replay)", async () => {
    const person = await aPerson("Person");
    const begun = await beginSignIn("forge");
    const callback = lyingCallback(begun, verified(person));

    const replies = await Promise.all([finishSignIn(begun, callback), finishSignIn(begun, callback)]);
    const later = await finishSignIn(begun, callback);

    const [accepted, refused] = replies.sort((a, b) => a.status - b.status) as [Reply, Reply];
    signedInCredentials(accepted);
    for (const reply of [refused, later]) expectRefused(reply, notBegunHere);
  });

  test("a code of the real provider is good for one attempt: its own", async () => {
    const [person, sub] = [await aPerson("Person"), aSubject()];
    const [first, second] = [await beginSignIn("acme"), await beginSignIn("acme")];
    const callback = await signInAtAcme(first, { sub, email: person.email, name: "Person" });
    const stolen = new URLSearchParams({
      code: callback.get("code") ?? "",
      iss: callback.get("iss") ?? "",
      state: second.url.searchParams.get("state") ?? "",
    });

    expectRefused(await finishSignIn(second, stolen), untrusted);
  });

  test("an ID token for another attempt is refused", async () => {
    const victim = await aPerson("Victim");

    for (const nonce of ["another", null])
      expectRefused(await signInAs("forge", verified(victim), { nonce }), untrusted);
  });
});

describe("an ID token is refused", () => {
  test.each(["foreign", "none", "secret"] as const)(
    "that is signed by %s instead of the published key",
    async (signedBy) => {
      expectRefused(await signInAs("forge", verified(await aPerson("Victim")), { signedBy }), untrusted);
    },
  );

  test("for another client, of another issuer, that has expired or was issued in the future", async () => {
    const victim = await aPerson("Victim");
    const now = Math.floor(Date.now() / 1000);
    const lies = [
      { aud: "another client" },
      { aud: ["skein", "another client"] },
      { iss: "https://accounts.example" },
      { exp: now - 120 },
      { nbf: now + 3600 },
      { iat: now + 120 },
      { iat: now + 3600 },
      { iat: now + 3600, exp: now + 7200 },
      { sub: undefined },
    ];

    for (const lie of lies) expectRefused(await signInAs("forge", { ...verified(victim), ...lie }), untrusted);
  });

  test("but not because the provider's clock is half a minute off", async () => {
    const now = Math.floor(Date.now() / 1000);
    const [late, early] = [
      { iat: now - 90, exp: now - 30 },
      { iat: now + 30, nbf: now + 30, exp: now + 90 },
    ];

    for (const times of [late, early])
      signedInCredentials(await signInAs("forge", { ...verified(await aPerson("Person")), ...times }));
  });
});

describe("an address", () => {
  test("that is not verified links nothing, however the provider says so", async () => {
    const victim = await aPerson("Victim");

    for (const email_verified of [false, undefined, null, "false", 0, "yes", {}, [true]])
      expectRefused(
        await signInAs("forge", { sub: aSubject(), email: victim.email, email_verified }),
        "does not say that it has verified",
      );
    // This provider's own claim counts, and the usual one does not.
    expectRefused(await signInAs("twin", verified(victim)), "does not say that it has verified");
    expectRefused(await signInAs("forge", { sub: aSubject(), email_verified: true }), "has not told us");
  });

  test("counts as verified only by what is said of that very address", async () => {
    const [victim, attacker] = [await aPerson("Victim"), await aPerson("Attacker")];
    const sub = aSubject();

    const reply = await signInAs(
      "forge",
      { sub, email: victim.email },
      { userInfo: { sub, email: attacker.email, email_verified: true } },
    );
    const ofAnother = await signInAs("forge", { sub }, { userInfo: { ...verified(victim), sub: aSubject() } });

    expectRefused(reply, "does not say that it has verified");
    expectRefused(ofAnother, untrusted);
    const said = { sub, email: victim.email };
    const splits = [
      [{ email_verified: true }, said],
      [{ email_verified: true }, { ...said, email_verified: false }],
      [{ email_verified: true, email: "" }, said],
      [{ email_verified: true, email: null }, said],
      [{ email_verified: true, email: [victim.email] }, said],
      [
        { email: victim.email, email_verified: false },
        { ...said, email_verified: true },
      ],
      [{ email: victim.email }, { sub, email_verified: true }],
      [{ email: victim.email }, { sub, email: "", email_verified: true }],
    ] as const;
    for (const [claims, userInfo] of splits)
      expectRefused(await signInAs("forge", { sub, ...claims }, { userInfo }), "does not say that it has verified");
    signedInCredentials(
      await signInAs("forge", { sub: aSubject(), email: victim.email, email_verified: true }, { userInfo: {} }),
    );
    signedInCredentials(await signInAs("forge", { sub }, { userInfo: verified(attacker, sub) }));
  });

  test("that looks like another's, or becomes it when case is ignored, finds nothing (homographs)", async () => {
    const victim = await aPerson("kate");
    const lookalikes = [
      victim.email.replace("k", "\u212a"),
      victim.email.replace("a", "\u0430"),
      victim.email.replace("@", "\uff20"),
      `${victim.email}\u200b`,
      `${victim.email}, x@example.com`,
      `<${victim.email}>`,
    ];

    for (const email of lookalikes) {
      const reply = await signInAs("forge", { sub: aSubject(), email, email_verified: true });
      expect([email, reply.status]).toEqual([email, 400]);
      expect(text(reply)).not.toContain("data-key");
    }
  });

  test("that two providers, or two people at one, have verified belongs to the first of them", async () => {
    const [victim, sub] = [await aPerson("Victim"), aSubject()];
    signedInCredentials(await signInAs("forge", verified(victim, sub)));

    const byTwin = await signInAs("twin", { sub, email: victim.email, xms_edov: true });
    const byAnother = await signInAs("forge", verified(victim));

    for (const reply of [byTwin, byAnother]) expectRefused(reply, "belongs to another identity");
    signedInCredentials(await signInAs("forge", verified(victim, sub)));
    expect((await mailsTo(victim.email)).filter(({ subject }) => subject.includes("sign in")).length).toBeLessThan(2);
  });

  test("of an identity that has an account does not matter", async () => {
    const [person, victim, sub] = [await aPerson("Person"), await aPerson("Victim"), aSubject()];
    signedInCredentials(await signInAs("forge", verified(person, sub)));

    const reply = await signInAs("forge", verified(victim, sub));

    expect(signedInCredentials(reply).email).toBe(person.email);
  });
});

test("who made an account with another's address, where no mail proves it, loses it when that person signs in", async () => {
  const [victim, realm] = [await aPerson("Victim", { password: "the attacker's own password" }), await loadRealm()];
  const provider = { ...acme, role: "member", type: "oidc", join: true } as const;
  const claims = { issuer: acme.issuer, subject: aSubject(), email: victim.email, emailVerified: true, names: [] };
  vi.stubEnv("MAIL_FROM", "");
  onTestFinished(() => void vi.unstubAllEnvs());

  const account = await signInByProvider(provider, claims, realm, undefined);

  const apiKey = await apiKeyOfAccount(account);
  const byPassword = { username: victim.email, password: "the attacker's own password" };
  expect((await victim.call("GET", "/users/me")).status).toBe(401);
  expect((await call("POST", "/fetch_api_key", byPassword)).body.code).toBe("AUTHENTICATION_FAILED");
  expect((await call("GET", "/users/me", {}, { credentials: { email: victim.email, apiKey } })).status).toBe(200);
});

describe("a provider that", () => {
  test("is down, answers with errors, or says that it is another gets a clear page, and passwords still work", async () => {
    const password = "the rain it raineth every day";
    const person = await aPerson("Feste", { password });
    const begin = (provider: string) => open(`/sign-in/${provider}`);

    expectRefused(await begin("down"), "Down does not answer at the moment", 503);
    expectRefused(await begin("broken"), "Broken does not answer at the moment", 503);
    expectRefused(await begin("impostor"), untrusted);
    for (const path of ["nobody", "nobody/callback"])
      expectRefused(await begin(path), "There is no such way to sign in", 404);
    expectRefused(await signInAs("forge", verified(person), { status: 503 }), "Forge does not answer", 503);
    expectRefused(await signInAs("forge", verified(person), { status: 404 }), untrusted);
    const reply = await call("POST", "/fetch_api_key", { username: person.email, password });
    expect(reply.status).toBe(200);
  });

  test("is slow, or never ends its answer, is waited for within bounds, and passwords still work", async () => {
    const password = "the rain it raineth every day";
    const person = await aPerson("Feste", { password });
    const startedAt = Date.now();

    const failing = Promise.all([
      open("/sign-in/slow"),
      send("POST", "/sign-in/slow/logout", "logout_token=x.y.z", {}),
      signInAs("forge", verified(person), { body: "nothing" }),
      signInAs("forge", verified(person), { body: "endless" }),
    ]);
    const reply = await call("POST", "/fetch_api_key", { username: person.email, password });
    const [begun, loggedOut, silent, endless] = await failing;

    expect(reply.status).toBe(200);
    expectRefused(begun, "Slow does not answer at the moment", 503);
    expect(loggedOut).toMatchObject({ status: 503, body: { code: "SERVICE_UNAVAILABLE" } });
    expectRefused(silent, "Forge does not answer at the moment", 503);
    expectRefused(endless, untrusted);
    // A function ends after 29 seconds.
    expect(Date.now() - startedAt).toBeLessThan(25_000);
  }, 60_000);

  test("refuses somebody gets a page that says so, which contains nothing of its own", async () => {
    const begun = await beginSignIn("forge");
    const { searchParams } = begun.url;
    const state = searchParams.get("state") ?? "";

    const reply = await finishSignIn(
      begun,
      new URLSearchParams({ ...Object.fromEntries(lyingCallback(begun, {})), code: "", error: "<b>denied", state }),
    );

    expect(text(reply)).toContain("Forge did not sign you in (&lt;b&gt;denied)");
  });

  test("replaces its keys is trusted again at the next attempt", async () => {
    const person = await aPerson("Person");
    const sub = aSubject();
    signedInCredentials(await signInAs("rotating", verified(person, sub)));
    const begun = await beginSignIn("rotating");
    await fetch(`${begun.url.origin}/rotating/rotate`);

    const first = await finishSignIn(begun, lyingCallback(begun, verified(person, sub)));
    const next = await signInAs("rotating", verified(person, sub));

    // Where the former keys are no longer cached, the new ones are trusted at once.
    expect([200, 400]).toContain(first.status);
    expect(next.status).toBe(200);
  });
});

test("the redirects lead to the provider and back to one fixed address, whatever the request says", async () => {
  const query = "?redirect_uri=https://evil.example&next=https://evil.example&state=known&nonce=known";

  const reply = await open(`/sign-in/forge${query}`, { headers: { "x-forwarded-host": "evil.example" } });

  const location = new URL(String(reply.headers.location));
  expect(location.hostname).toBe("127.0.0.1");
  expect(location.searchParams.get("redirect_uri")).toMatch(/^https?:\/\/[^/]+\/sign-in\/forge\/callback$/);
  expect(location.searchParams.get("state")).toMatch(/^[\w-]{43}$/);
  expect(location.searchParams.get("code_challenge_method")).toBe("S256");
  expect(String(location)).not.toMatch(/evil|known/);
  expect(String(reply.headers["set-cookie"])).toMatch(/; HttpOnly; SameSite=Lax/);
});
