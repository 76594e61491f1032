import { identityProvidersText } from "../../base/environment.ts";
import { notFound } from "../../base/errors.ts";
import { isLocalhostName } from "../../base/localhost-names.ts";
import {
  bool,
  list,
  oneOf,
  optional,
  strictObject,
  strictSchemaOf,
  string,
  type Values,
  withDefault,
} from "../../base/schema/params.ts";
import { parseJson } from "../../base/schema/text.ts";

/** The identity providers by which people may sign in, as the operator has configured them: docs/single-sign-on.md. */

const text = (max: number) => string({ max, allowBlank: false });

const providerShape = {
  /** The name on the button, such as that of the company. */
  name: text(40),
  /** The provider's name in our addresses; by default made from `name`. */
  id: optional(text(30)),
  /** GitHub speaks OAuth without OpenID Connect, and has its own interface for addresses. */
  type: withDefault(oneOf(["oidc", "github"]), "oidc"),
  /** Absent only for GitHub: github.com. */
  issuer: optional(text(300)),
  client_id: text(300),
  /** On one machine. Absent: a public client, which PKCE alone protects. */
  client_secret: optional(text(1000)),
  /** On AWS: the secret of Secrets Manager that contains the client's secret. */
  client_secret_arn: optional(text(300)),
  /** The address of a picture for the button. */
  icon: optional(text(300)),
  /** The domains of the addresses that the provider may vouch for; absent: all. */
  domains: optional(list(text(253), { max: 100 })),
  /** Whether people without an account may join by it. */
  join: withDefault(bool(), true),
  /** The role of those who join without an invitation. */
  role: withDefault(oneOf(["guest", "member", "moderator", "administrator"]), "member"),
  /** What a group at the provider decides at each sign-in: a role, or that its people are in a user group. */
  groups: optional(
    list(
      strictObject({
        name: text(300),
        role: optional(oneOf(["guest", "member", "moderator", "administrator", "owner"])),
        user_group: optional(text(100)),
      }),
      { max: 50 },
    ),
  ),
  /** The claim that lists the person's groups at the provider; by default `groups`. */
  groups_claim: optional(text(100)),
  /** By default what is needed. */
  scope: optional(text(300)),
  /** The claim that says whether the provider has verified the address; by default `email_verified`. */
  verified_claim: optional(text(100)),
};

export type IdentityProvider = Values<typeof providerShape> & { id: string; issuer: string };

/** An invalid list of providers; the message names the field and contains no value that could be secret. */
export class ProvidersError extends Error {
  override name = "ProvidersError";
}

const fail = (field: string, problem: string): never => {
  throw new ProvidersError(`${field} ${problem}`);
};

/** Reads a JSON list of providers, and checks it; errors name the field. */
export function parseProviders(json: string): IdentityProvider[] {
  const providers = parseJson(json);
  if (providers === undefined) fail("the list", "is not valid JSON");
  const schema = strictSchemaOf({ providers: list(strictObject(providerShape), { max: 20 }) });
  const parsed = schema.safeParse({ providers });
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const field = (issue?.path ?? []).map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`));
    return fail(field.join("").replace(/^\./, "") || "the list", issue?.message.replace("{} ", "") ?? "is invalid");
  }
  const checked = parsed.data.providers as Values<typeof providerShape>[];
  const named = checked.map((provider, index) => checkedProvider(provider, `providers[${index}]`));
  for (const field of ["id", "issuer"] as const)
    if (new Set(named.map((provider) => provider[field])).size < named.length) fail("providers", `repeat an ${field}`);
  return named;
}

function checkedProvider(provider: Values<typeof providerShape>, field: string): IdentityProvider {
  const id =
    provider.id ??
    provider.name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "");
  if (!/^[a-z0-9][a-z0-9-]{0,29}$/.test(id))
    fail(`${field}.id`, 'must be set: 1 to 30 lower-case letters, digits and "-"');
  const issuer = provider.issuer ?? (provider.type === "github" ? "https://github.com" : "");
  if (!isIssuer(issuer)) fail(`${field}.issuer`, "must be an https URL; only on this machine itself may it be http");
  if (provider.icon !== undefined && URL.parse(provider.icon)?.protocol !== "https:")
    fail(`${field}.icon`, "must be an https URL");
  if (provider.type === "github" && provider.verified_claim !== undefined)
    fail(`${field}.verified_claim`, "is not for GitHub, which has no claims");
  if (provider.type === "github" && (provider.groups ?? provider.groups_claim) !== undefined)
    fail(`${field}.groups`, "are not for GitHub, which has no claims");
  if (provider.groups === undefined && provider.groups_claim !== undefined)
    fail(`${field}.groups_claim`, "is without effect, because there are no groups");
  for (const [index, { role, user_group: userGroup }] of (provider.groups ?? []).entries())
    if ((role === undefined) === (userGroup === undefined))
      fail(`${field}.groups[${index}]`, "must have either a role or a user_group");
  if (provider.type === "oidc" && provider.scope?.split(" ").includes("openid") === false)
    fail(`${field}.scope`, 'must contain "openid"');
  if (provider.client_secret !== undefined && provider.client_secret_arn !== undefined)
    fail(`${field}.client_secret`, "and client_secret_arn exclude each other");
  if (provider.client_secret_arn !== undefined && !secretArnPattern.test(provider.client_secret_arn))
    fail(`${field}.client_secret_arn`, "must be the whole ARN of a secret");
  const domains = provider.domains?.map((domain) => domain.toLowerCase());
  return { ...provider, id, issuer, ...(domains && { domains }) };
}

const secretArnPattern = /^arn:aws[\w-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+$/;

function isIssuer(issuer: string): boolean {
  const url = URL.parse(issuer);
  if (url?.search !== "" || url.hash !== "" || url.username !== "") return false;
  return url.protocol === "https:" || isLoopbackHttp(url);
}

/** Whether a URL is one of this machine itself, whose connections cannot be observed from outside. */
export const isLoopbackHttp = ({ protocol, hostname }: URL): boolean =>
  protocol === "http:" && (isLocalhostName(hostname) || hostname === "[::1]" || /^127\.[\d.]+$/.test(hostname));

let parsedProviders: { json: string; providers: readonly IdentityProvider[] } | undefined;

/** The providers that the function's environment names; none if the operator has configured none. */
export function identityProviders(): readonly IdentityProvider[] {
  const json = identityProvidersText();
  if (parsedProviders?.json !== json) parsedProviders = { json, providers: json === "" ? [] : parseProviders(json) };
  return parsedProviders.providers;
}

export function accessIdentityProvider(id: string): IdentityProvider {
  const provider = identityProviders().find((each) => each.id === id);
  if (!provider) throw notFound("There is no such way to sign in.");
  return provider;
}

/** Zulip's names of the methods by which people sign in at a provider, and whether there is such a provider. */
export function providerMethods(): { "OpenID Connect": boolean; GitHub: boolean } {
  const has = (type: IdentityProvider["type"]) => identityProviders().some((provider) => provider.type === type);
  return { "OpenID Connect": has("oidc"), GitHub: has("github") };
}

/** The path at which a browser begins to sign in by a provider. */
export const signInPath = ({ id }: Pick<IdentityProvider, "id">): string => `/sign-in/${id}`;
