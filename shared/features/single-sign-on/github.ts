import { type Configuration, fetchProtectedResource, type ServerMetadata } from "openid-client";
import * as z from "zod/mini";
import type { IdentityProvider } from "../../services/identity/providers.ts";
import type { Claims } from "./claims.ts";

/** GitHub: OAuth, and addresses by its API (https://docs.github.com/en/rest/users/emails). */

export const githubScope = "read:user user:email";

export const githubServer = ({ issuer }: IdentityProvider): ServerMetadata => ({
  issuer,
  authorization_endpoint: `${issuer}/login/oauth/authorize`,
  token_endpoint: `${issuer}/login/oauth/access_token`,
  // Its documentation names no other way.
  token_endpoint_auth_methods_supported: ["client_secret_post"],
});

/** GitHub Enterprise Server has its API below its own address. */
const apiOf = ({ issuer }: IdentityProvider) =>
  issuer === "https://github.com" ? "https://api.github.com" : `${issuer}/api/v3`;

const userShape = z.object({ id: z.int(), login: z.string(), name: z.optional(z.nullable(z.string())) });
const emailsShape = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/**
 * The owner of a token, with the first of their verified addresses that the provider may vouch for, the primary one before
 * others. Two requests.
 */
export async function githubClaims(
  provider: IdentityProvider,
  configuration: Configuration,
  accessToken: string,
): Promise<Claims> {
  const get = async (path: string): Promise<unknown> => {
    const headers = new Headers({ accept: "application/vnd.github+json" });
    const url = new URL(`${apiOf(provider)}${path}`);
    const response = await fetchProtectedResource(configuration, accessToken, url, "GET", null, headers);
    if (!response.ok) throw new Error(`${url} answers ${response.status}`);
    return response.json();
  };
  const [user, emails] = await Promise.all([
    get("/user").then((body) => userShape.parse(body)),
    get("/user/emails").then((body) => emailsShape.parse(body)),
  ]);
  const { domains } = provider;
  const candidates = emails
    .filter(({ email, verified }) => verified && !isNoReply(email))
    .filter(({ email }) => !domains || domains.includes(email.slice(email.lastIndexOf("@") + 1).toLowerCase()))
    .sort((one, other) => Number(other.primary) - Number(one.primary));
  const email = (candidates[0] ?? emails.find(({ primary }) => primary))?.email;
  return {
    issuer: provider.issuer,
    subject: String(user.id),
    ...(email !== undefined && { email }),
    emailVerified: candidates.length > 0,
    names: [user.name ?? "", user.login],
  };
}

/** The address that GitHub shows for people who hide theirs, at which nobody reads mail. */
const isNoReply = (email: string) => email.toLowerCase().endsWith("@users.noreply.github.com");
