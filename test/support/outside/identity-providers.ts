import { randomUUID } from "node:crypto";
import { open } from "../accounts.ts";
import type { Reply } from "../http.ts";
import { codeFor, type Lie } from "./identity-provider-servers.ts";

/** Signs in by the identity providers, as a browser without scripts does. */

/** A sign-in that a browser has begun. */
interface BegunSignIn {
  provider: string;
  /** The address at the provider. */
  url: URL;
  /** What the browser sends as `Cookie`. */
  cookie: string;
}

export const cookieIn = ({ headers }: Pick<Reply, "headers">): string =>
  [headers["set-cookie"] ?? []]
    .flat()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");

export async function beginSignIn(provider: string, query = ""): Promise<BegunSignIn> {
  const reply = await open(`/sign-in/${provider}${query}`);
  if (reply.status !== 302) throw new Error(`${reply.status} ${reply.bytes}`);
  return { provider, url: new URL(String(reply.headers.location)), cookie: cookieIn(reply) };
}

/** The browser follows the redirect back. */
export const finishSignIn = ({ provider, cookie }: BegunSignIn, query: URLSearchParams | string): Promise<Reply> =>
  open(`/sign-in/${provider}/callback?${query}`, cookie === "" ? {} : { headers: { cookie } });

interface PersonAtProvider {
  sub: string;
  email: string;
  name: string;
  verified?: boolean;
}

export const aSubject = () => randomUUID();

/** Signs in at the real provider's page; returns the query of its redirect back. */
export async function signInAtAcme({ url }: BegunSignIn, person: PersonAtProvider): Promise<URLSearchParams> {
  const cookies = new Map<string, string>();
  const { verified = true, ...fields } = person;
  let form: URLSearchParams | undefined;
  for (let next = url; ; ) {
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
    if (location === null) {
      if (form || !response.ok) throw new Error(`${next}: ${response.status} ${await response.text()}`);
      form = new URLSearchParams({ ...fields, ...(verified && { verified: "on" }) });
      continue;
    }
    form = undefined;
    next = new URL(location, next);
    if (/\/sign-in\/acme\/callback$/.test(next.pathname)) return next.searchParams;
  }
}

/** What the lying provider redirects back with, for a begun sign-in; `lie` overrides what is right. */
export function lyingCallback(
  { url }: BegunSignIn,
  claims: Record<string, unknown>,
  lie: Partial<Lie> = {},
): URLSearchParams {
  const { searchParams, origin, pathname } = url;
  const code = codeFor({
    claims,
    nonce: searchParams.get("nonce"),
    challenge: searchParams.get("code_challenge"),
    ...lie,
  });
  const state = searchParams.get("state") ?? "";
  return new URLSearchParams({ code, state, iss: `${origin}${pathname.replace("/authorize", "")}` });
}

/** Signs in by a provider that says whatever the test wants. */
export async function signInAs(
  provider: string,
  claims: Record<string, unknown>,
  lie: Partial<Lie> = {},
): Promise<Reply> {
  const begun = await beginSignIn(provider);
  return finishSignIn(begun, lyingCallback(begun, claims, lie));
}
