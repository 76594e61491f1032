import { badRequest, passwordAuthDisabled } from "../../base/errors.ts";
import type { HttpRequest } from "../../services/http/event.ts";
import type { Realm } from "../../services/organization/access.ts";
import { auditRecord } from "../../store/organization/audit-log.ts";
import type { Account } from "../../store/users/accounts.ts";
import { signIn } from "./devices.ts";
import { isSecondFactorRequired } from "./second-factor-check.ts";
import { checkCode, throttleCodes } from "./second-factor-codes.ts";
import { readFactorToken } from "./second-factor-tokens.ts";
import { mailsAbout, turnOn } from "./second-factors.ts";

/**
 * The second step of a sign-in, at which whoever must have a second factor may set it up. The code is used up in the transaction that
 * starts the session, so that one of two requests wins.
 */
export async function signInByCode(
  { email, token, code }: { email: string; token: string; code: string },
  request: HttpRequest,
  realm: Realm,
): Promise<{ account: Account; apiKey: string; recoveryCodes?: string[] }> {
  if (!realm.settings.password_auth_enabled) throw passwordAuthDisabled();
  const { account, salt } = await readFactorToken(email, token);
  if (salt !== undefined) {
    if (!isSecondFactorRequired(realm)) throw badRequest("This token is for setting up a second factor.");
    const { account: changed, recoveryCodes } = await turnOn({ email, token, code, sourceIp: request.sourceIp }, realm);
    const proof = { writes: [], followUps: [] };
    return { account: changed, apiKey: await signIn(changed, request, realm, { proof }), recoveryCodes };
  }
  const apiKey = await throttleCodes(account, request.sourceIp, async () => {
    const { write, recoveryCodesLeft } = await checkCode(account, code);
    const isRecovery = recoveryCodesLeft !== undefined;
    return signIn(account, request, realm, {
      proof: {
        writes: [write, ...(isRecovery ? [auditRecord("recovery_code_used", { userId: account.userId })] : [])],
        followUps: isRecovery
          ? mailsAbout(account, realm, `was replaced by a recovery code at a sign-in; ${recoveryCodesLeft} are left`)
          : [],
      },
    });
  });
  return { account, apiKey };
}
