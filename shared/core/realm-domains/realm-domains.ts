import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { badRequest } from "../../base/errors.ts";
import { bool, strictObject, string, type Value } from "../../base/schema/params.ts";
import { accessOrganization } from "../../services/organization/access.ts";
import { eventForEveryone } from "../../store/log/entry.ts";
import { type Change, noChange } from "../../store/log/log.ts";
import { type AuditType, auditRecord } from "../../store/organization/audit-log.ts";
import {
  type RealmDomain,
  readShortList,
  realmDomainsKey,
  shortListChange,
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

/** The change that adds a domain, and its ID. */
export async function addDomain(added: Omit<RealmDomain, "id">): Promise<{ change: Change; id: number }> {
  const list = await readShortList(realmDomainsKey);
  const realmDomain = { id: list.lastId + 1, ...added };
  if (list.entries.some(({ domain }) => domain === realmDomain.domain))
    throw badRequest(`The domain ${realmDomain.domain} is already a part of your organization.`);
  if (list.entries.length >= creationLimits.realmDomain.max) throw badRequest(tooMany("realmDomain"));
  const change = shortListChange(realmDomainsKey, list, {
    entries: [...list.entries, realmDomain].sort((a, b) => (a.domain < b.domain ? -1 : 1)),
    lastId: realmDomain.id,
    writes: [recorded("domain_added", realmDomain)],
    events: [eventForEveryone({ type: "realm_domains", op: "add", realm_domain: toRealmDomainWire(realmDomain) })],
  });
  return { change, id: realmDomain.id };
}

/** Undefined if nothing changes. */
export async function changeDomain(changed: Omit<RealmDomain, "id">): Promise<Change | undefined> {
  const list = await readShortList(realmDomainsKey);
  const before = list.entries.find(({ domain }) => domain === changed.domain);
  if (!before) throw noSuchDomain(changed.domain);
  const realmDomain = { ...before, ...changed };
  if (before.allowSubdomains === realmDomain.allowSubdomains) return undefined;
  return shortListChange(realmDomainsKey, list, {
    entries: list.entries.map((each) => (each === before ? realmDomain : each)),
    writes: [recorded("domain_changed", realmDomain)],
    events: [eventForEveryone({ type: "realm_domains", op: "change", realm_domain: toRealmDomainWire(realmDomain) })],
  });
}

/** Without any domain left, addresses are no longer restricted to domains: nobody could join otherwise. */
export async function removeDomain(domain: string): Promise<Change> {
  const list = await readShortList(realmDomainsKey);
  if (!list.entries.some((each) => each.domain === domain)) throw noSuchDomain(domain);
  const entries = list.entries.filter((each) => each.domain !== domain);
  const lifted = entries.length === 0 ? settingsWithoutDomains(await accessOrganization()) : noChange;
  return shortListChange(realmDomainsKey, list, {
    entries,
    writes: [auditRecord("domain_removed", { name: domain }), ...lifted.writes],
    events: [eventForEveryone({ type: "realm_domains", op: "remove", domain }), ...lifted.events],
  });
}

const recorded = (type: AuditType, { domain, allowSubdomains }: Omit<RealmDomain, "id">) =>
  auditRecord(type, { name: domain, after: { allow_subdomains: allowSubdomains } });

const noSuchDomain = (domain: string) => badRequest(`No entry found for domain ${domain}.`);
