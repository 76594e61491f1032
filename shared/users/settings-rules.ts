import { badRequest } from "../errors.ts";
import type { UserSettings } from "./settings.ts";

/** Refuses a time zone or language that nobody knows; `name` stands in the error. */
export function checkLocale({ timezone, default_language }: Partial<UserSettings>): void {
  if (timezone) attempt("timezone", () => new Intl.DateTimeFormat("en", { timeZone: timezone }));
  if (default_language !== undefined) checkLanguage(default_language);
}

export const checkLanguage = (code: string) =>
  attempt("default_language", () => Intl.getCanonicalLocales(code.replace("_", "-")));

function attempt(name: string, use: () => unknown): void {
  try {
    use();
  } catch {
    throw badRequest(`Invalid ${name}`);
  }
}
