import { bool, strictObject, string, type Value } from "../schema/params.ts";
import { type RealmDomain, readShortList, realmDomainsKey } from "../store/organization/short-lists.ts";

export const realmDomainObject = strictObject({ domain: string(), allow_subdomains: bool() });

export const toRealmDomainWire = ({ domain, allowSubdomains }: RealmDomain): Value<typeof realmDomainObject> => ({
  domain,
  allow_subdomains: allowSubdomains,
});

/** The initial state of allowed email domains. */
export const realmDomainsState = async () => ({
  realm_domains: (await readShortList(realmDomainsKey)).entries.map(toRealmDomainWire),
});
