import { ApiError } from "../../base/errors.ts";
import type { Account } from "../../store/users/accounts.ts";
import { newFactorToken } from "./second-factor-tokens.ts";

/**
 * Refuses to sign in by the password alone whoever has a second factor. The error has what the next step needs,
 * and a text for programs that do not know it.
 */
export async function checkNeedsNoSecondFactor(account: Account): Promise<void> {
  if (account.secondFactor !== undefined)
    throw new ApiError(
      "SECOND_FACTOR_REQUIRED",
      "Your account has a second factor, which this program cannot ask for. Create an app password in the settings of the web client, and enter it here in place of your password.",
      { second_factor_token: await newFactorToken(account) },
    );
}
