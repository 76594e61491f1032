import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { badRequest } from "../../base/errors.ts";
import { bool, strictObject, string, type Value } from "../../base/schema/params.ts";
import { accessOrganization } from "../../services/organization/access.ts";
import { eventForEveryone } from "../../store/log/entry.ts";
import { noChange } from "../../store/log/log.ts";
import {
  changeShortList,
  type RealmDomain,
  readShortList,
  realmDomainsKey,
} from "../../store/organization/short-lists.ts";
import { settingsWithoutDomains } from "../organization/actions.ts";

export const realmDomainObject = strictObject({ domain: string(), allow_subdomains: bool() });

const toRealmDomainWire = ({ domain, allowSubdomains }: RealmDomain): Value<typeof realmDomainObject> => ({
  domain,
  allow_subdomains: allowSubdomains,
});

/** The initial state of allowed email domains. */
export const realmDomainsState = async () => ({
  realm_domains: (await readShortList(realmDomainsKey)).entries.map(toRealmDomainWire),
});

/** The maximum number of domains in an organization. Limited because every client receives all of them. */
const maxDomainLength = 80;

/** Checks a domain, which needs at least two labels, and returns it in lower case. */
export function checkDomain(text: string): string {
  const domain = text.trim().toLowerCase();
  if (domain === "") throw badRequest("Domain can't be empty.");
  if (domain.length > maxDomainLength) throw badRequest("Domain is too long.");
  if (!/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])$/.test(domain))
    throw badRequest("Invalid domain: Domain must be a name such as example.com.");
  return domain;
}

/** Returns the new domain's ID. */
export const addDomain = (added: Omit<RealmDomain, "id">): Promise<number> =>
  changeShortList(realmDomainsKey, ({ entries, lastId }) => {
    const realmDomain = { id: lastId + 1, ...added };
    if (entries.some(({ domain }) => domain === realmDomain.domain))
      throw badRequest(`The domain ${realmDomain.domain} is already a part of your organization.`);
    if (entries.length >= creationLimits.realmDomain.max) throw badRequest(tooMany("realmDomain"));
    return {
      entries: [...entries, realmDomain].sort((a, b) => (a.domain < b.domain ? -1 : 1)),
      lastId: realmDomain.id,
      events: [eventForEveryone({ type: "realm_domains", op: "add", realm_domain: toRealmDomainWire(realmDomain) })],
      result: realmDomain.id,
    };
  });

export const changeDomain = (changed: Omit<RealmDomain, "id">): Promise<void> =>
  changeShortList(realmDomainsKey, ({ entries }) => {
    const before = entries.find(({ domain }) => domain === changed.domain);
    if (!before) throw noSuchDomain(changed.domain);
    const realmDomain = { ...before, ...changed };
    const unchanged = before.allowSubdomains === realmDomain.allowSubdomains;
    return {
      entries: entries.map((each) => (each === before ? realmDomain : each)),
      events: unchanged
        ? []
        : [eventForEveryone({ type: "realm_domains", op: "change", realm_domain: toRealmDomainWire(realmDomain) })],
    };
  });

/** Without any domain left, addresses are no longer restricted to domains: nobody could join otherwise. */
export const removeDomain = (domain: string): Promise<void> =>
  changeShortList(realmDomainsKey, async ({ entries: before }) => {
    if (!before.some((each) => each.domain === domain)) throw noSuchDomain(domain);
    const entries = before.filter((each) => each.domain !== domain);
    const lifted = entries.length === 0 ? settingsWithoutDomains(await accessOrganization()) : noChange;
    return {
      entries,
      writes: lifted.writes,
      events: [eventForEveryone({ type: "realm_domains", op: "remove", domain }), ...lifted.events],
    };
  });

const noSuchDomain = (domain: string) => badRequest(`No entry found for domain ${domain}.`);
