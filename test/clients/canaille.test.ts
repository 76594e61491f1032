import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { open, signedInCredentials } from "../support/accounts.ts";
import { aPrivateHost } from "../support/hosts/private-host.ts";
import { cookieIn } from "../support/outside/identity-providers.ts";
import { environmentOf } from "../support/outside/python.ts";
import { isLocal } from "../support/world.ts";

/** Signs in at Canaille, an identity provider from another hand than oidc-provider, as a browser without scripts does. */

const person = {
  ...{ user_name: "viola", name: "Viola of Messaline", email: "viola@globe.test", group: "chat admins" },
  ...{ password: "conceal me what I am", client_secret: "secret-&-%-signs" },
};

/** Starts Canaille; `register` tells it where our host is. */
async function startCanaille() {
  const environment = await environmentOf(join(import.meta.dirname, "canaille.requirements.txt"));
  const child = spawn(join(environment, "bin/python"), [join(import.meta.dirname, "serve_canaille.py")], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(async () => {
    const ended = once(child, "close");
    child.kill();
    await ended;
  });
  const tell = (value: unknown) => child.stdin.write(`${JSON.stringify(value)}\n`);
  tell(person);
  const [url] = (await once(createInterface(child.stdout), "line")) as [string];
  return { url, register: (redirectUri: string) => tell(redirectUri) };
}

/** What a person enters in the form of a page: its hidden fields, who they are, and that they agree. */
function filledIn(html: string): URLSearchParams {
  const values: Record<string, string> = { login: person.user_name, password: person.password, answer: "accept" };
  const fields = [...html.matchAll(/<(?:input|button)[^>]*>/g)].map(([tag]) => {
    const attribute = (name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
    return [attribute("name"), values[attribute("name")] ?? attribute("value")] as const;
  });
  return new URLSearchParams([...new Map(fields)].filter(([name]) => name !== ""));
}

/** Goes from the address at the provider through its pages to the redirect back; returns its query. */
async function passThrough(start: string): Promise<string> {
  const cookies = new Map<string, string>();
  let form: URLSearchParams | undefined;
  for (let [next, count] = [new URL(start), 0]; count < 12; count++) {
    const response = await fetch(next, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form && { method: "POST", body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    form = location === null ? filledIn(await response.text()) : undefined;
    if (location !== null) next = new URL(location, next);
    if (next.pathname.endsWith("/callback")) return next.search;
  }
  throw new Error("Canaille does not redirect back");
}

test.skipIf(!isLocal())(
  "somebody signs in at Canaille, which sends groups, and once more with the same identity",
  async () => {
    const canaille = await startCanaille();
    const provider = {
      ...{ name: "Canaille", issuer: canaille.url, client_id: "skein", client_secret: person.client_secret },
      ...{ scope: "openid email profile groups", groups: [{ name: person.group, role: "administrator" }] },
    };
    const host = await aPrivateHost({ SKEIN_OIDC: JSON.stringify([provider]) });
    onTestFinished(() => host.stop());
    canaille.register(`${host.url}/sign-in/canaille/callback`);
    const signIn = async () => {
      const begun = await open("/sign-in/canaille", { url: host.url });
      const query = await passThrough(String(begun.headers.location));
      const headers = { cookie: cookieIn(begun) };
      return signedInCredentials(await open(`/sign-in/canaille/callback${query}`, { url: host.url, headers }));
    };
    const before = await host.do(person.email, "GET", "/users/me");

    const [first, second] = [await signIn(), await signIn()];

    const after = await host.do(person.email, "GET", "/users/me");
    expect([first.email, second]).toEqual([person.email, first]);
    expect([before.role, after.role, after.user_id]).toEqual([400, 200, before.user_id]);
  },
  600_000,
);
