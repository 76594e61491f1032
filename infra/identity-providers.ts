import { readFileSync } from "node:fs";
import { type IdentityProvider, ProvidersError, parseProviders } from "../shared/services/identity/providers.ts";

/** Lambda limits the environment of a function to 4 KB; the other variables of those that have this one take at most 650 bytes. */
const maxCharacters = 3000;

/** A provider as the operator has listed it: functions fill in the defaults, which need no place in their environment. */
export type ListedProvider = Partial<IdentityProvider>;

/**
 * Reads the setting of identity providers: a JSON list, or the path of a file with one; empty: none. `secretField` is where
 * clients' secrets must be: in the list on one machine, and on AWS, whose templates anyone in the account can read, by their
 * ARN. Without it, both may be. Throws ProvidersError, with the field.
 */
export function readProviders(
  setting: string,
  secretField?: "client_secret" | "client_secret_arn",
): readonly ListedProvider[] {
  if (setting.trim() === "") return [];
  const json = setting.trimStart().startsWith("[") ? setting : textOf(setting);
  parseProviders(json);
  const providers: readonly ListedProvider[] = JSON.parse(json);
  const otherField = secretField === "client_secret" ? "client_secret_arn" : "client_secret";
  const wrong = secretField ? providers.findIndex((provider) => provider[otherField] !== undefined) : -1;
  if (wrong >= 0)
    throw new ProvidersError(
      secretField === "client_secret"
        ? `providers[${wrong}].client_secret_arn is for a fleet on AWS: set client_secret`
        : `providers[${wrong}].client_secret would be readable in the template: store it in Secrets Manager, and set client_secret_arn`,
    );
  if (secretField === "client_secret_arn" && JSON.stringify(providers).length > maxCharacters)
    throw new ProvidersError(
      `providers have more than ${maxCharacters} characters in all, which a function's environment cannot hold`,
    );
  return providers;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new ProvidersError("the file cannot be read");
  }
}
