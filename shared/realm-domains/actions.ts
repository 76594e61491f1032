import { badRequest } from "../errors.ts";
import { eventForEveryone } from "../store/log/entry.ts";
import { changeShortList, type RealmDomain, realmDomainsKey } from "../store/organization/short-lists.ts";
import { toRealmDomainWire } from "./wire.ts";

/** The maximum number of domains in an organization. Limited because every client receives all of them. */
const maxDomains = 200;
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

export const addDomain = (realmDomain: RealmDomain): Promise<void> =>
  changeShortList(realmDomainsKey, ({ entries }) => {
    if (entries.some(({ domain }) => domain === realmDomain.domain))
      throw badRequest(`The domain ${realmDomain.domain} is already a part of your organization.`);
    if (entries.length >= maxDomains) throw badRequest(`An organization can have at most ${maxDomains} domains.`);
    return {
      entries: [...entries, realmDomain].sort((a, b) => (a.domain < b.domain ? -1 : 1)),
      events: [eventForEveryone({ type: "realm_domains", op: "add", realm_domain: toRealmDomainWire(realmDomain) })],
    };
  });

export const changeDomain = (realmDomain: RealmDomain): Promise<void> =>
  changeShortList(realmDomainsKey, ({ entries }) => {
    const before = entries.find(({ domain }) => domain === realmDomain.domain);
    if (!before) throw noSuchDomain(realmDomain.domain);
    const unchanged = before.allowSubdomains === realmDomain.allowSubdomains;
    return {
      entries: entries.map((each) => (each === before ? realmDomain : each)),
      events: unchanged
        ? []
        : [eventForEveryone({ type: "realm_domains", op: "change", realm_domain: toRealmDomainWire(realmDomain) })],
    };
  });

export const removeDomain = (domain: string): Promise<void> =>
  changeShortList(realmDomainsKey, ({ entries }) => {
    if (!entries.some((each) => each.domain === domain)) throw noSuchDomain(domain);
    return {
      entries: entries.filter((each) => each.domain !== domain),
      events: [eventForEveryone({ type: "realm_domains", op: "remove", domain })],
    };
  });

const noSuchDomain = (domain: string) => badRequest(`No entry found for domain ${domain}.`);
