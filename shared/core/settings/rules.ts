import { badRequest } from "../../base/errors.ts";
import { maybeQuoted, type Optional, optional, type Param } from "../../base/schema/params.ts";
import { type UserSettings, userSettingShape } from "../../base/schema/user-settings.ts";
import type { Organization } from "../../store/organization/organization.ts";
import type { Changes } from "../../store/table/writes.ts";

/** Refuses an unknown time zone or language. */
export function checkLocale({
  timezone,
  default_language,
}: Changes<Pick<UserSettings, "timezone" | "default_language">>): void {
  if (timezone) checkValid("timezone", () => new Intl.DateTimeFormat("en", { timeZone: timezone }));
  if (default_language !== undefined) checkLanguage(default_language);
}

export const checkLanguage = (code: string) =>
  checkValid("default_language", () => Intl.getCanonicalLocales(code.replaceAll("_", "-")));

/** Throws a 400 that names the parameter if `use` throws: `Intl` throws for unknown time zones and languages. */
function checkValid(name: string, use: () => unknown): void {
  try {
    use();
  } catch {
    throw badRequest(`Invalid ${name}`);
  }
}

/** The settings as parameters: clients send strings raw or JSON-quoted. */
export const userSettingParams = Object.fromEntries(
  Object.entries<Param>(userSettingShape).map(([name, { schema, encoding }]) => [
    name,
    optional(
      encoding === "text" ? maybeQuoted({ schema, encoding, required: true }) : { schema, encoding, required: true },
    ),
  ]),
) as { [K in keyof UserSettings]: Optional<UserSettings[K]> };

/** The organization's default settings for new users that differ from Skein's. */
export function initialUserSettings({
  settings,
  userDefaults = {},
}: Pick<Organization, "settings" | "userDefaults">): Partial<UserSettings> {
  const language = settings.default_language;
  return { ...(language !== undefined && language !== "en" && { default_language: language }), ...userDefaults };
}
