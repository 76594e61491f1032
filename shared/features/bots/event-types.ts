import {
  bool,
  int,
  list,
  literal,
  nullable,
  optional,
  partial,
  strictObject,
  text,
  type Value,
} from "../../base/schema/params.ts";
import { botObject, serviceObject } from "./wire.ts";

const type = literal("realm_bot");
const changes = partial({
  full_name: text(),
  owner_id: int(),
  is_active: bool(),
  default_sending_stream: nullable(text()),
  default_events_register_stream: nullable(text()),
  default_all_public_streams: bool(),
  services: list(serviceObject),
});
const deletion = strictObject({ type, op: literal("delete"), bot: strictObject({ user_id: int() }) });

/** Events about bots, for their owner and administrators. */
export const realmBotEvents = [
  strictObject({ type, op: literal("add"), bot: botObject }),
  strictObject({
    type,
    op: literal("update"),
    bot: strictObject({ user_id: int(), ...changes, api_key: optional(text()) }),
  }),
  deletion,
];
export type RealmBotEvent = Value<(typeof realmBotEvents)[number]>;

/** Logged events contain no API keys: `with_key` means that the client's event gets the bot's new key. */
export const loggedBotEvents = [
  strictObject({ type, op: literal("add"), bot_id: int() }),
  strictObject({
    type,
    op: literal("update"),
    bot: strictObject({ user_id: int(), ...changes }),
    with_key: optional(literal(true)),
  }),
  deletion,
];
export type LoggedBotEvent = Value<(typeof loggedBotEvents)[number]>;

declare module "../../base/schema/event-types.ts" {
  interface LogEvents {
    realm_bot: LoggedBotEvent;
  }
  interface ClientEvents {
    realm_bot: RealmBotEvent;
  }
}
