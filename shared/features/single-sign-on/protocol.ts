import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  ResponseBodyError,
} from "openid-client";
import { operatorSecret } from "../../base/aws/secret.ts";
import { ApiError, badRequest } from "../../base/errors.ts";
import { describeError } from "../../base/observability/describe-error.ts";
import { ProcessCache, readThrough } from "../../base/process-cache.ts";
import { nowSeconds } from "../../base/time.ts";
import { type IdentityProvider, isLoopbackHttp, signInPath } from "../../services/identity/providers.ts";
import type { Attempt } from "./attempts.ts";
import type { Claims } from "./claims.ts";
import { githubClaims, githubScope, githubServer } from "./github.ts";

/** OpenID Connect by openid-client: authorization code with PKCE, state and nonce. */

/** How long a provider has to answer a request; there are at most four, and a function has 29 seconds. */
const requestTimeoutSeconds = 5;

/** How far the provider's clock may be from ours. */
export const clockToleranceSeconds = 60;

/** How long what a provider publishes of itself is used before it is fetched again. openid-client renews keys more often. */
const discoveryMs = 3_600_000;

const configurations = new ProcessCache<string, Promise<Configuration>>({ minRetained: 20 });

const cacheKeyOf = ({ issuer, client_id }: IdentityProvider) => `${issuer} ${client_id}`;

/** A provider that cannot be reached, answers too late, or has an error of its own. */
class Unreachable extends Error {
  override name = "Unreachable";
}

export async function fetchFromProvider(url: string, options: object): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, options);
  } catch (error) {
    throw new Unreachable(describeError(error), { cause: error });
  }
  if (response.status >= 500 || response.status === 429) throw new Unreachable(`${url} answers ${response.status}`);
  return new Response(response.body?.pipeThrough(limitBytes(url)) ?? null, response);
}

/** Providers answer with a few KB: a longer answer would fill the memory. */
const maxAnswerBytes = 1_000_000;

function limitBytes(url: string): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > maxAnswerBytes) throw new Error(`${url} answers with more than ${maxAnswerBytes} bytes`);
      controller.enqueue(chunk);
    },
  });
}

/** The provider's metadata, fetched at most once an hour by a process, and our client at it. */
const configurationOf = (provider: IdentityProvider): Promise<Configuration> =>
  readThrough(configurations, cacheKeyOf(provider), () => discover(provider), { ttlMs: discoveryMs });

async function discover(provider: IdentityProvider): Promise<Configuration> {
  if (provider.type === "github") return githubConfiguration(provider);
  const issuer = new URL(provider.issuer);
  const configuration = await discovery(
    issuer,
    provider.client_id,
    { [clockTolerance]: clockToleranceSeconds },
    authenticateClient(provider),
    {
      timeout: requestTimeoutSeconds,
      [customFetch]: fetchFromProvider,
      ...(isLoopbackHttp(issuer) && { execute: [allowInsecureRequests] }),
    },
  );
  // openid-client accepts Microsoft's issuer of all tenants, whose administrators could claim any address.
  const { issuer: published } = configuration.serverMetadata();
  if (URL.parse(published)?.href !== issuer.href) throw new Error(`${provider.issuer} says that it is ${published}`);
  // Without these, openid-client relies on TLS alone for what it fetches from the provider.
  enableNonRepudiationChecks(configuration);
  return configuration;
}

/** GitHub publishes nothing of itself. */
function githubConfiguration(provider: IdentityProvider): Configuration {
  const configuration = new Configuration(
    githubServer(provider),
    provider.client_id,
    undefined,
    authenticateClient(provider),
  );
  configuration.timeout = requestTimeoutSeconds;
  configuration[customFetch] = fetchFromProvider;
  if (isLoopbackHttp(new URL(provider.issuer))) allowInsecureRequests(configuration);
  return configuration;
}

/** Authenticates by HTTP Basic, which every provider must support, unless it says that it takes the secret in the form alone. */
const authenticateClient =
  (provider: IdentityProvider): ClientAuth =>
  async (server, client, body, headers) => {
    const secret = await secretOf(provider);
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const authenticate =
      secret === undefined
        ? None()
        : methods.includes("client_secret_basic")
          ? ClientSecretBasic(secret)
          : ClientSecretPost(secret);
    await authenticate(server, client, body, headers);
  };

const secretOf = async ({ client_secret, client_secret_arn }: IdentityProvider): Promise<string | undefined> =>
  client_secret_arn === undefined ? client_secret : operatorSecret(client_secret_arn);

/** The fixed address to which the provider redirects back; each provider has its own, so that none can pass for another. */
const redirectUri = (provider: IdentityProvider, baseUrl: string) => `${baseUrl}${signInPath(provider)}/callback`;

/** The address at the provider where people sign in. `baseUrl` is the server's address. */
export const authorizationUrl = (provider: IdentityProvider, attempt: Attempt, baseUrl: string): Promise<URL> =>
  withProvider(provider, async (configuration) =>
    buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri(provider, baseUrl),
      scope: provider.scope ?? (provider.type === "github" ? githubScope : "openid email profile"),
      state: attempt.state,
      ...(provider.type === "oidc" && { nonce: attempt.nonce }),
      code_challenge: await calculatePKCECodeChallenge(attempt.codeVerifier),
      code_challenge_method: "S256",
    }),
  );

/** What the provider's redirect back contains. */
export type Callback = Partial<Record<"code" | "state" | "iss" | "error", string | undefined>>;

/** Exchanges the code of a redirect for what the provider says of the person. At most four requests to the provider. */
export const claimsOf = (
  provider: IdentityProvider,
  attempt: Attempt,
  callback: Callback,
  baseUrl: string,
): Promise<Claims> =>
  withProvider(provider, async (configuration) => {
    const url = new URL(redirectUri(provider, baseUrl));
    for (const [name, value] of Object.entries(callback)) if (value !== undefined) url.searchParams.set(name, value);
    const checks = { expectedState: attempt.state, pkceCodeVerifier: attempt.codeVerifier };
    if (provider.type === "github") {
      const { access_token } = await authorizationCodeGrant(configuration, url, checks);
      return githubClaims(provider, configuration, access_token);
    }
    const tokens = await authorizationCodeGrant(configuration, url, {
      ...checks,
      expectedNonce: attempt.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new Error("There is no ID token");
    // openid-client refuses tokens that are too old, and not those that were made too late.
    if (claims.iat > nowSeconds() + clockToleranceSeconds) throw new Error("The ID token is of the future");
    return readClaims(provider, claims, await userInfo(provider, configuration, claims, tokens.access_token));
  });

const addressClaim = "email";
const defaultVerifiedClaim = "email_verified";
const defaultGroupsClaim = "groups";

/** One document in which the provider says something of a person: the ID token, or the answer of the userinfo endpoint. */
type Document = Record<string, unknown>;

/** What the provider tells at its userinfo endpoint; undefined if the ID token has all that is needed. */
async function userInfo(
  { verified_claim: verified = defaultVerifiedClaim, groups, groups_claim = defaultGroupsClaim }: IdentityProvider,
  configuration: Configuration,
  claims: Document & { sub: string },
  accessToken: string,
): Promise<Document | undefined> {
  const needed = [verified, ...(groups === undefined ? [] : [groups_claim])];
  const isComplete = textIn(claims, addressClaim) !== "" && needed.every((name) => claims[name] !== undefined);
  if (isComplete || !configuration.serverMetadata().userinfo_endpoint) return undefined;
  return fetchUserInfo(configuration, accessToken, claims.sub);
}

/**
 * A person's groups, all by one document. Providers leave the claim out for people without groups; Entra also for people with more
 * than 200, of whom it says that their groups are to be found elsewhere.
 */
function groupsIn(
  { id, groups, groups_claim: name = defaultGroupsClaim }: IdentityProvider,
  documents: readonly Document[],
): string[] | undefined {
  if (!groups) return undefined;
  const { [name]: value = [], _claim_names: elsewhere } =
    documents.find((document) => document[name] !== undefined) ??
    documents.find((document) => document._claim_names !== undefined) ??
    {};
  if (typeof elsewhere === "object" && elsewhere !== null && Object.hasOwn(elsewhere, name)) {
    console.error(JSON.stringify({ identityProvider: id, problem: `the claim "${name}" is too long to be sent` }));
    return undefined;
  }
  return [value].flat().filter((each) => typeof each === "string");
}

const textIn = (document: Document, name: string): string => {
  const { [name]: value } = document;
  return typeof value === "string" ? value.trim() : "";
};

/**
 * What both documents say of a person. Claims that qualify one another come from one document: what is said in one of an address,
 * or of groups, must not hold for those in the other.
 */
function readClaims(
  provider: IdentityProvider,
  token: Document & { iss: string; sub: string },
  info?: Document,
): Claims {
  const verified = provider.verified_claim ?? defaultVerifiedClaim;
  const documents = info ? [token, info] : [token];
  const addressed = documents.filter((document) => textIn(document, addressClaim) !== "");
  const email = addressed[0] && textIn(addressed[0], addressClaim);
  // The userinfo endpoint may add to an ID token without the claim that the same address is verified.
  const judging = addressed.find(
    (document) => textIn(document, addressClaim) === email && document[verified] !== undefined,
  );
  const named = documents.map((document) => [
    textIn(document, "name"),
    `${textIn(document, "given_name")} ${textIn(document, "family_name")}`.trim(),
    textIn(document, "preferred_username"),
  ]);
  return {
    issuer: token.iss,
    subject: token.sub,
    ...(email !== undefined && { email }),
    // Some providers send booleans as texts or numbers.
    emailVerified: [true, "true", 1, "1"].includes(judging?.[verified] as never),
    names: named.find((names) => names.some((name) => name !== "")) ?? [],
    groups: groupsIn(provider, documents),
  };
}

const unreachable = ({ name }: IdentityProvider) =>
  new ApiError(
    "SERVICE_UNAVAILABLE",
    `${name} does not answer at the moment. Try again later, or sign in another way.`,
  );

const unusable = ({ name }: IdentityProvider) =>
  badRequest(
    `The answer from ${name} cannot be trusted or understood. Please try again; if that does not help, tell your administrators.`,
  );

/** Runs `work` with our client at the provider; throws errors that people can understand, and logs the cause. */
export async function withProvider<T>(
  provider: IdentityProvider,
  work: (configuration: Configuration) => Promise<T>,
): Promise<T> {
  try {
    return await work(await configurationOf(provider));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (error instanceof AuthorizationResponseError)
      throw badRequest(`${provider.name} did not sign you in (${error.error.slice(0, 100)}). Please try again.`);
    const answered = error instanceof ResponseBodyError ? { answered: error.error } : {};
    console.error(JSON.stringify({ identityProvider: provider.id, ...answered, error: describeError(error) }));
    // Its keys or addresses may have changed since they were fetched: fetch them again for the next attempt.
    configurations.delete(cacheKeyOf(provider));
    throw isUnreachable(error) ? unreachable(provider) : unusable(provider);
  }
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof Error &&
  (error instanceof Unreachable ||
    error.name === "TimeoutError" ||
    ("code" in error && ["OAUTH_TIMEOUT", "ERR_JWKS_TIMEOUT"].includes(error.code as string)) ||
    isUnreachable(error.cause));
