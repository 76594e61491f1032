import { literal, strictObject, text, type Value } from "../../base/schema/params.ts";
import { realmDomainObject } from "./realm-domains.ts";

const type = literal("realm_domains");

/** Events about allowed email domains. */
export const realmDomainEvents = [
  strictObject({ type, op: literal("add"), realm_domain: realmDomainObject }),
  strictObject({ type, op: literal("change"), realm_domain: realmDomainObject }),
  strictObject({ type, op: literal("remove"), domain: text() }),
];

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    realm_domains: Value<(typeof realmDomainEvents)[number]>;
  }
}
