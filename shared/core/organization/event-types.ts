import { type PermissionName, permissionSettings, plainSettings } from "../../base/schema/organization-settings.ts";
import {
  bool,
  int,
  literal,
  oneOf,
  optional,
  partial,
  type Shape,
  shapeOf,
  strictObject,
  text,
  type Value,
} from "../../base/schema/params.ts";
import { groupSettingValue } from "../user-groups/wire.ts";

const event = { type: literal("realm"), op: literal("update_dict") };
const permissions = shapeOf(Object.keys(permissionSettings) as PermissionName[], groupSettingValue());

/** The organization's fields that `realm` events contain, without the prefix `realm_`. */
const realmSettingFields = {
  ...plainSettings,
  ...permissions,
  name: text(),
  allow_edit_history: bool(),
  email_auth_enabled: bool(),
} satisfies Shape;

const settingsChange = { ...event, property: literal("default"), data: strictObject(partial(realmSettingFields)) };

/**
 * Settings of the organization that changed, or one of its pictures ("U": uploaded; "G": generated identicon; "D": default).
 */
const otherRealmEvents = [
  strictObject({
    ...event,
    property: literal("icon"),
    data: strictObject({ icon_url: text(), icon_source: oneOf(["U", "G"]) }),
  }),
  strictObject({
    ...event,
    property: literal("logo"),
    data: strictObject({ logo_url: text(), logo_source: oneOf(["U", "D"]) }),
  }),
  strictObject({
    ...event,
    property: literal("night_logo"),
    data: strictObject({ night_logo_url: text(), night_logo_source: oneOf(["U", "D"]) }),
  }),
  strictObject({ type: event.type, op: literal("deactivated"), realm_id: int() }),
];
export const realmEvents = [strictObject(settingsChange), ...otherRealmEvents];

/** `former_waiting_period`: in days, where the period was changed. Clients get an event with the difference that it makes. */
export const loggedRealmEvents = [
  strictObject({ ...settingsChange, former_waiting_period: optional(int()) }),
  ...otherRealmEvents,
];

/** A new build was deployed: clients reload their state. */
export const restartEvent = strictObject({
  type: literal("restart"),
  zulip_version: text(),
  zulip_merge_base: text(),
  zulip_feature_level: int(),
  server_generation: int(),
});

/** A new build was deployed: browsers reload the page. */
export const webReloadEvent = strictObject({ type: literal("web_reload_client"), immediate: bool() });

/** The changed settings in a `realm` event. */
export type RealmChange = Extract<RealmEvent, { property: "default" }>["data"];
type RealmEvent = Value<(typeof realmEvents)[number]>;

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    restart: Value<typeof restartEvent>;
    web_reload_client: Value<typeof webReloadEvent>;
  }
  interface LogEvents {
    realm: Value<(typeof loggedRealmEvents)[number]>;
  }
  interface ClientEvents {
    realm: RealmEvent;
  }
}
