import { bool, exactly, string, type Value } from "../schema/params.ts";
import { type RealmDomain, readShortList, realmDomainsKey } from "../store/organization/short-lists.ts";

/** A domain as clients are told of it. */
export const realmDomainObject = exactly({ domain: string(), allow_subdomains: bool() });

export const toRealmDomainWire = ({ domain, allowSubdomains }: RealmDomain): Value<typeof realmDomainObject> => ({
  domain,
  allow_subdomains: allowSubdomains,
});

/** What a client that registers is told. */
export const realmDomainsState = async () => ({
  realm_domains: (await readShortList(realmDomainsKey)).entries.map(toRealmDomainWire),
});
