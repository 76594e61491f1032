import { literal, strictObject, text } from "../../base/schema/params.ts";
import { realmDomainObject } from "./realm-domains.ts";

const type = literal("realm_domains");

/** Events about allowed email domains. */
export const realmDomainEvents = [
  strictObject({ type, op: literal("add"), realm_domain: realmDomainObject }),
  strictObject({ type, op: literal("change"), realm_domain: realmDomainObject }),
  strictObject({ type, op: literal("remove"), domain: text() }),
];
