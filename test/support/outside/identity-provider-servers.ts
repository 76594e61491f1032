import { createHash, createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/**
 * Identity providers on this machine: a real one, by oidc-provider, and one that says whatever a test tells it to, as a
 * provider that lies, has been taken over, or is broken.
 */

export const clientId = "skein";
export const clientSecret = "a secret & its %-signs";

/** The SCIM client's token. */
export const scimToken = "scim-token-of-the-globe-0123456789abcdef";

/** What a test tells the lying provider to answer. It travels in the authorization code, so that the provider keeps no state. */
export interface Lie {
  /** The claims of the ID token; `iss`, `aud`, `iat`, `exp` and `nonce` are right unless they are overridden. */
  claims: Record<string, unknown>;
  nonce?: string | null;
  /** The code challenge that the verifier must match. */
  challenge: string | null;
  /** What the token is signed with: the published key, another with the same key ID, none, or the client's secret. */
  signedBy?: "published" | "foreign" | "none" | "secret";
  /** Of GitHub: `user` and `emails`, as its API returns them. */
  userInfo?: Record<string, unknown>;
  /** What the token endpoint sends after its headers: nothing, or without an end. */
  body?: "nothing" | "endless";
  /** The status of the token endpoint's answer. */
  status?: number;
}

export const codeFor = (lie: Lie) => Buffer.from(JSON.stringify(lie)).toString("base64url");

/** The providers as the setting lists them, without secrets. */
const settings = (real: string, lying: string) => [
  { name: "Acme", issuer: real },
  { name: "Forge", issuer: `${lying}/forge` },
  {
    ...{ name: "Twin", issuer: `${lying}/twin`, role: "guest", verified_claim: "xms_edov" },
    ...{ groups_claim: "roles", groups: [{ name: "moderators", role: "moderator" }] },
  },
  {
    ...{ name: "Guild", issuer: `${lying}/guild` },
    groups: [
      { name: "chat admins", role: "administrator" },
      { name: "directors", role: "owner" },
      { name: "troupe", user_group: "players" },
    ],
  },
  { name: "Partner", issuer: `${lying}/partner`, domains: ["partner.test"], join: false },
  { name: "Hub", type: "github", issuer: `${lying}/hub`, client_id: "hub" },
  { name: "Rotating", issuer: `${lying}/rotating` },
  { name: "Impostor", issuer: `${lying}/impostor` },
  { name: "Broken", issuer: `${lying}/broken` },
  { name: "Slow", issuer: `${lying}/slow` },
  { name: "Down", issuer: "http://127.0.0.1:1" },
];

interface IdentityProviders {
  /** The list for `SKEIN_OIDC`; each client has its secret as `secretFields` says. */
  setting(secretFields: Record<string, string>): string;
  stop(): Promise<void>;
}

export async function startIdentityProviders(): Promise<IdentityProviders> {
  const [real, lying] = await Promise.all([startRealProvider(), startLyingProvider()]);
  return {
    setting: (secretFields) =>
      JSON.stringify(
        settings(real.url, lying.url).map((provider) => ({ client_id: clientId, ...provider, ...secretFields })),
      ),
    stop: async () => {
      await Promise.all([real.stop(), lying.stop()]);
    },
  };
}

async function listening(server: Server) {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

const publicJwk = (key: KeyObject, kid: string) => ({
  ...key.export({ format: "jwk" }),
  kid,
  use: "sig",
  alg: "RS256",
});
const newKeys = () => generateKeyPairSync("rsa", { modulusLength: 2048 });

/** Makes a value when it is first needed: most runs need no provider, and its keys take longer than the cases of some files. */
const lazily = <T>(make: () => T) => {
  let made: { value: T } | undefined;
  return (): T => {
    made ??= { value: make() };
    return made.value;
  };
};

/** oidc-provider; at its sign-in page people say themselves who they are: the fields of the form are the claims. */
async function startRealProvider() {
  const handler = lazily(() => handlerOfProvider(host.url));
  const server = createServer(async (request, response) => (await handler())(request, response));
  const host = await listening(server);
  return host;
}

async function handlerOfProvider(issuer: string) {
  const people = new Map<string, Record<string, unknown>>();
  const { Provider } = await import("oidc-provider");
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: ["http://127.0.0.1/callback"],
        token_endpoint_auth_method: "client_secret_basic",
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    jwks: { keys: [publicJwk(newKeys().privateKey, "real")] },
    cookies: { keys: ["a key of the tests"] },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, ...people.get(accountId) }),
    }),
    loadExistingGrant: async (context: any) => {
      const { client, session, provider: self } = context.oidc;
      const grant = new self.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  // The address of a deployed fleet is known only after its deployment.
  provider.Client.prototype.redirectUriAllowed = (uri) => /\/sign-in\/acme\/callback$/.test(uri);
  const callback = provider.callback();
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!request.url?.startsWith("/interaction/")) return callback(request, response);
    await provider.interactionDetails(request, response);
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/html" });
      const fields = ["sub", "email", "name"].map((name) => `<label>${name}<input name="${name}"></label>`).join("");
      return void response.end(`<!doctype html><title>Acme</title><link rel="icon" href="data:,"><h1>Acme</h1><form method="post">${fields}
        <label>verified<input type="checkbox" name="verified" checked></label><button>Sign in</button></form>`);
    }
    const form = new URLSearchParams(await text(request));
    const accountId = form.get("sub") ?? "";
    const [email, name] = [form.get("email") ?? "", form.get("name") ?? ""];
    people.set(accountId, { email, name, email_verified: form.has("verified") });
    await provider.interactionFinished(request, response, { login: { accountId } });
  };
}

/** Speaks OpenID Connect under several issuers, and answers as the code in each request says. */
async function startLyingProvider() {
  const own = lazily(() => ({ keys: newKeys(), kid: "lying" }));
  const foreign = lazily(newKeys);
  let rotated: typeof own = lazily(() => ({ keys: newKeys(), kid: "0" }));
  const jwtOf = (claims: object, signedBy: Lie["signedBy"] = "published", { keys, kid } = own()) => {
    const alg = { published: "RS256", foreign: "RS256", none: "none", secret: "HS256" }[signedBy];
    const content = [{ alg, kid }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    const signature = {
      published: () => sign("sha256", Buffer.from(content), keys.privateKey),
      foreign: () => sign("sha256", Buffer.from(content), foreign().privateKey),
      none: () => Buffer.alloc(0),
      secret: () => createHmac("sha256", clientSecret).update(content).digest(),
    }[signedBy]();
    return `${content}.${signature.toString("base64url")}`;
  };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "", `http://${request.headers.host}`);
    const [, name = "", ...rest] = url.pathname.split("/");
    const issuer = `${url.origin}/${name}`;
    const current = (name === "rotating" ? rotated : own)();
    const answer = (status: number, body: unknown) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (name === "broken") return answer(503, {});
    if (name === "slow") return;
    if (rest.join("/") === ".well-known/openid-configuration")
      return answer(200, {
        // One that says that it is another.
        issuer: name === "impostor" ? `${url.origin}/forge` : issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        userinfo_endpoint: `${issuer}/userinfo`,
        authorization_response_iss_parameter_supported: true,
        token_endpoint_auth_methods_supported: name === "twin" ? ["client_secret_post"] : ["client_secret_basic"],
        id_token_signing_alg_values_supported: ["RS256"],
      });
    if (rest[0] === "keys") return answer(200, { keys: [publicJwk(current.keys.publicKey, current.kid)] });
    if (rest[0] === "rotate") {
      const next = { keys: newKeys(), kid: String(Number(rotated().kid) + 1) };
      rotated = () => next;
      return answer(200, {});
    }
    if (rest[0] === "userinfo") {
      const [, token = ""] = request.headers.authorization?.split(" ") ?? [];
      return answer(200, JSON.parse(Buffer.from(token, "base64url").toString()));
    }
    if (rest[0] === "sign") {
      const { claims, signedBy } = JSON.parse(await text(request)) as Lie;
      return void response.end(jwtOf(claims, signedBy, current));
    }
    // GitHub's API.
    if (name === "hub" && rest[0] === "api") {
      const [, token = ""] = request.headers.authorization?.split(" ") ?? [];
      return answer(200, JSON.parse(Buffer.from(token, "base64url").toString())[rest.at(-1) ?? ""]);
    }
    const form = new URLSearchParams(await text(request));
    const [, credentials = ""] = request.headers.authorization?.split(" ") ?? [];
    // RFC 6749 encodes both parts as in a form.
    const [id, secret] = Buffer.from(credentials, "base64")
      .toString()
      .split(":")
      .map((part) => decodeURIComponent(part.replaceAll("+", " ")));
    const isOurs =
      name === "twin" || name === "hub"
        ? form.get("client_secret") === clientSecret
        : id === clientId && secret === clientSecret;
    if (!isOurs) return answer(401, { error: "invalid_client" });
    const lie = JSON.parse(Buffer.from(form.get("code") ?? "", "base64url").toString()) as Lie;
    const verifier = form.get("code_verifier") ?? "";
    if (createHash("sha256").update(verifier).digest("base64url") !== lie.challenge)
      return answer(400, { error: "invalid_grant" });
    if (lie.status !== undefined) return answer(lie.status, {});
    if (lie.body !== undefined) {
      response.writeHead(200, { "content-type": "application/json" }).write('{"access_token":"');
      const send = () => void (lie.body === "endless" && response.write("x".repeat(65_536)));
      response.on("drain", send);
      return send();
    }
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: issuer,
      aud: clientId,
      iat: now,
      exp: now + 60,
      nonce: lie.nonce ?? undefined,
      ...lie.claims,
    };
    return answer(200, {
      access_token: Buffer.from(JSON.stringify(lie.userInfo ?? { sub: lie.claims.sub })).toString("base64url"),
      token_type: "Bearer",
      ...(name !== "hub" && { id_token: jwtOf(claims, lie.signedBy, current) }),
    });
  });
  return listening(server);
}
