import {
  limitSettingNames,
  type PermissionName,
  permissionSettings,
  plainSettings,
  type RealmSettings,
} from "../../base/schema/organization-settings.ts";
import {
  groupSettingUpdate,
  int,
  maybeQuoted,
  nullable,
  type Optional,
  optional,
  type Param,
  string,
  union,
} from "../../base/schema/params.ts";

type PlainName = Exclude<keyof RealmSettings, PermissionName>;
type Limit = Optional<number | string | null>;

/** Legacy settings that are derived from newer ones. */
const derivedSettings = new Set(["wildcard_mention_policy", "mandatory_topics"]);

const limit = () => optional(nullable(union([int(), string()], "an integer or a string")));
export const isLimit = (name: string) => (limitSettingNames as readonly string[]).includes(name);

/** A plain setting as a parameter: strings raw or JSON-quoted, limits also as "unlimited". */
const plainParam = (name: string, { schema, encoding }: Param): Param => {
  if (isLimit(name)) return limit();
  const param = { schema, encoding, required: true };
  return optional(encoding === "text" ? maybeQuoted(param) : param);
};

/** The parameters of `PATCH /realm` that are not permissions, under the settings' names without `realm_`. */
export const plainParams = Object.fromEntries(
  Object.entries<Param>(plainSettings)
    .filter(([name]) => !derivedSettings.has(name))
    .map(([name, param]) => [name, plainParam(name, param)]),
) as { [K in PlainName]: K extends (typeof limitSettingNames)[number] ? Limit : Optional<RealmSettings[K]> };

/** Its permissions, as `{new, old?}`. */
export const permissionParams = Object.fromEntries(
  Object.keys(permissionSettings).map((name) => [name, optional(groupSettingUpdate())]),
) as { [K in PermissionName]: Optional<{ new: RealmSettings[K]; old?: RealmSettings[K] }> };
