import {
  bool,
  int,
  list,
  literal,
  nullable,
  oneOf,
  oneOfInts,
  optional,
  type Param,
  required,
  type Shape,
  strictObject,
  text,
  union,
  type Value,
} from "../../base/schema/params.ts";
import { roleNumbers } from "../../base/schema/roles.ts";
import { type UserSettings, userSettingNames, userSettingShape } from "../../base/schema/user-settings.ts";
import {
  channelPermissionRules,
  groupPermissionRules,
  realmPermissionRules,
} from "../../services/permissions/permission-rules.ts";
import { statusFields } from "./status.ts";
import { userObject } from "./wire.ts";

const type = literal("realm_user");
const user_id = int();
const profileValue = strictObject({ id: int(), value: nullable(text()), rendered_value: optional(text()) });

/** Changes of a user that others see; an event has the fields of exactly one of these. */
const changes = [
  strictObject({ user_id, full_name: text() }),
  strictObject({
    user_id,
    avatar_url: text(),
    avatar_url_medium: text(),
    avatar_source: text(),
    avatar_version: int(),
  }),
  strictObject({ user_id, timezone: text(), email: text() }),
  strictObject({ user_id, bot_owner_id: int() }),
  strictObject({ user_id, role: oneOfInts(roleNumbers) }),
  strictObject({ user_id, delivery_email: nullable(text()) }),
  strictObject({ user_id, custom_profile_field: profileValue }),
  strictObject({ user_id, new_email: text() }),
  strictObject({ user_id, is_active: bool() }),
];
export type UserChange = Value<(typeof changes)[number]>;

const addEvent = strictObject({ type, op: literal("add"), person: userObject });
const updateEvent = strictObject({ type, op: literal("update"), person: union(changes, "a change of a user") });

/** Events about users, for users who can access them. */
export const realmUserEvents = [
  addEvent,
  updateEvent,
  strictObject({ type, op: literal("remove"), person: strictObject({ user_id, full_name: text() }) }),
];
export type RealmUserEvent = Value<(typeof realmUserEvents)[number]>;

/** Logged events; users who gain or lose access to a user are derived when the log is read. */
export const loggedUserEvents = [addEvent, updateEvent];

/** The changed parts of a status; an empty string clears a part. */
export const userStatusEvent = strictObject({ type: literal("user_status"), user_id, ...statusFields });
export type UserStatusEvent = Value<typeof userStatusEvent>;

/** Whether a user consents to the export of private data, for administrators. */
export const exportConsentEvent = strictObject({ type: literal("realm_export_consent"), user_id, consented: bool() });

/** A changed setting of the user; `language_name` is the language's name for itself. */
export interface UserSettingsEvent {
  type: "user_settings";
  op: "update";
  property: keyof UserSettings;
  value: UserSettings[keyof UserSettings];
  language_name?: string;
}
const isBooleanSetting = (name: keyof UserSettings) => typeof userSettingShape[name].fallback === "boolean";
const settingEvents = (type: string, languageFields: Shape) => {
  const event = (property: Param<string>, value: Param<unknown>, extraFields = {}) =>
    strictObject({ type: literal(type), op: literal("update"), property, value, ...extraFields }) as Param<unknown>;
  const otherSettings = userSettingNames.filter((name) => !isBooleanSetting(name));
  return [
    event(oneOf(userSettingNames.filter(isBooleanSetting)), bool()),
    ...otherSettings.map((name) =>
      event(
        literal(name),
        required<unknown, unknown>(userSettingShape[name]),
        name === "default_language" && languageFields,
      ),
    ),
  ];
};
export const userSettingsEvents = settingEvents("user_settings", {
  language_name: text(),
}) as Param<UserSettingsEvent>[];

type UserDefaultsEvent = Pick<UserSettingsEvent, "op" | "property" | "value"> & {
  type: "realm_user_settings_defaults";
};
export const userDefaultsEvents = settingEvents("realm_user_settings_defaults", {}) as Param<UserDefaultsEvent>[];

const settingNames = <R extends object>(rules: R) => list(oneOf(Object.keys(rules) as Extract<keyof R, string>[]));

/**
 * Permission settings that list a deactivated or reactivated user; the stored type is `settings_naming`. Clients get an event
 * with each setting's visible value, which is read when the log is read.
 */
export const settingsListingUserEvent = strictObject({
  type: literal("settings_naming"),
  realm: optional(settingNames(realmPermissionRules)),
  channels: optional(list(strictObject({ id: int(), settings: settingNames(channelPermissionRules) }))),
  groups: optional(list(strictObject({ id: int(), settings: settingNames(groupPermissionRules) }))),
});
export type SettingsListingUserEvent = Value<typeof settingsListingUserEvent>;

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    realm_export_consent: Value<typeof exportConsentEvent>;
    realm_user_settings_defaults: UserDefaultsEvent;
    user_settings: UserSettingsEvent;
    user_status: UserStatusEvent;
  }
  interface LogEvents {
    realm_user: Value<(typeof loggedUserEvents)[number]>;
    settings_naming: SettingsListingUserEvent;
  }
  interface ClientEvents {
    realm_user: RealmUserEvent;
  }
}
