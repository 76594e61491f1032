import { ApiError } from "../../base/errors.ts";
import { nowSeconds } from "../../base/time.ts";
import type { Realm } from "../../services/organization/access.ts";
import type { Account } from "../../store/users/accounts.ts";
import { newFactorToken } from "./second-factor-tokens.ts";
import { setUpFor } from "./second-factors.ts";

/** Whether whoever signs in by password now must have a second factor, or set one up. */
export const isSecondFactorRequired = ({ settings }: Realm): boolean =>
  settings.second_factor_required_from !== null && settings.second_factor_required_from <= nowSeconds();

/**
 * Refuses to sign in by the password alone whoever has a second factor, or must set one up now. The error has what the next step needs,
 * and a text for programs that do not know it.
 */
export async function checkNeedsNoSecondFactor(account: Account, realm: Realm): Promise<void> {
  if (account.secondFactor !== undefined)
    throw new ApiError(
      "SECOND_FACTOR_REQUIRED",
      "Your account has a second factor, which this program cannot ask for. Create an app password in the settings of the web client, and enter it here in place of your password.",
      { second_factor_token: await newFactorToken(account) },
    );
  if (isSecondFactorRequired(realm))
    throw new ApiError(
      "SECOND_FACTOR_NOT_SET_UP",
      "Your organization requires a second factor. Sign in to the web client to set one up; for this program, create an app password there.",
      { ...(await setUpFor(account, realm)) },
    );
}
