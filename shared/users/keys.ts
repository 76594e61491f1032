import { fleetSecret } from "../secret.ts";
import type { Account } from "../store/accounts.ts";
import { apiKeyOf } from "./api-keys.ts";

/** The API key of an account, derived anew: it is stored nowhere. */
export const keyOf = async ({ keySalt }: Pick<Account, "keySalt">): Promise<string> =>
  apiKeyOf(await fleetSecret(), keySalt);
