import { exactly, literal, text, type Value } from "../schema/params.ts";
import { realmDomainObject } from "./wire.ts";

const type = literal("realm_domains");

/** Events about allowed email domains. */
export const realmDomainEvents = [
  exactly({ type, op: literal("add"), realm_domain: realmDomainObject }),
  exactly({ type, op: literal("change"), realm_domain: realmDomainObject }),
  exactly({ type, op: literal("remove"), domain: text() }),
];
export type RealmDomainEvent = Value<(typeof realmDomainEvents)[number]>;

declare module "../schema/event-types.ts" {
  interface LogEvents {
    realmDomains: RealmDomainEvent;
  }
  interface ClientEvents {
    realmDomains: RealmDomainEvent;
  }
}
