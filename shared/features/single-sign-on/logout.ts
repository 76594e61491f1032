import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from "jose";
import { badRequest } from "../../base/errors.ts";
import { ProcessCache } from "../../base/process-cache.ts";
import { removeDevices } from "../../messaging/mobile-push/removal.ts";
import { newApiKey } from "../../services/identity/api-keys.ts";
import type { IdentityProvider } from "../../services/identity/providers.ts";
import { auditRecord } from "../../store/organization/audit-log.ts";
import { bumpKeysVersion } from "../../store/organization/organization.ts";
import { alreadyDone, retryOnConflict, succeedsOnce } from "../../store/table/conflicts.ts";
import { transact } from "../../store/table/transactions.ts";
import { withRefusal } from "../../store/table/writes.ts";
import { updateAccount } from "../../store/users/accounts.ts";
import { identityOf, isLogoutTokenUsed, useLogoutToken } from "../../store/users/identities.ts";
import { clockToleranceSeconds, fetchFromProvider, withProvider } from "./protocol.ts";
import { findBoundAccount } from "./sign-in.ts";

/** Back-channel logout: the provider itself reports that somebody has signed out or lost access there. */

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

/** How old a logout token may be. */
const maxTokenSeconds = 300;

const keySets = new ProcessCache<string, ReturnType<typeof createRemoteJWKSet>>({ minRetained: 20 });

/**
 * Ends all sessions of the account of a logout token's identity and the notifications to its devices, and gives it a new API key;
 * nothing happens if the identity has no account, or if the token was used before. See
 * https://openid.net/specs/openid-connect-backchannel-1_0.html. 5 read and 6 write units.
 */
export async function endSessionsByProvider(provider: IdentityProvider, logoutToken: string): Promise<void> {
  const { iss, sub, jti } = await verifiedClaims(provider, logoutToken);
  // The account moves when its address changes; the sessions are at the new address then.
  await retryOnConflict(async () => {
    const account = await findBoundAccount(identityOf(iss, sub));
    // Devices come first, so that a call that dies here is completed when the provider repeats it.
    if (!account || (await isLogoutTokenUsed(iss, jti))) return false;
    await removeDevices(account.userId);
    const { keySalt, keyHash } = await newApiKey();
    const expiresAt = Math.ceil(Date.now() / 1000) + maxTokenSeconds + 2 * clockToleranceSeconds;
    const change = { set: { keySalt, keyHash }, remove: ["sessions"] };
    return succeedsOnce(
      transact([
        withRefusal(useLogoutToken(iss, jti, expiresAt), alreadyDone),
        updateAccount(account.email, change, { userId: account.userId }),
        bumpKeysVersion(),
        auditRecord("api_key_changed", { userId: account.userId }),
      ]),
    );
  });
}

/** The claims that a logout token needs. An ID token, which has a nonce and no event, does not pass for one. */
const verifiedClaims = (provider: IdentityProvider, logoutToken: string) =>
  withProvider(provider, async (configuration) => {
    const { issuer, jwks_uri: keysUrl } = configuration.serverMetadata();
    if (keysUrl === undefined) throw badRequest(`${provider.name} does not support back-channel logout.`);
    const keys = keySets.getOrAdd(keysUrl, () =>
      createRemoteJWKSet(new URL(keysUrl), { [customFetch]: fetchFromProvider }),
    );
    const { payload } = await jwtVerify(logoutToken, keys, {
      issuer,
      audience: provider.client_id,
      clockTolerance: clockToleranceSeconds,
      maxTokenAge: maxTokenSeconds,
      requiredClaims: ["sub", "jti"],
    }).catch((error: unknown) => {
      if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)) throw invalidToken();
      throw error;
    });
    const { iss, sub, jti } = payload;
    if (!hasLogoutEvent(payload) || payload.nonce !== undefined) throw invalidToken();
    if (iss === undefined || sub === undefined || jti === undefined) throw invalidToken();
    return { iss, sub, jti };
  });

const hasLogoutEvent = ({ events }: JWTPayload): boolean =>
  typeof events === "object" && events !== null && Object.hasOwn(events, logoutEvent);

const invalidToken = () => badRequest("The logout token is not valid. It must name the person (sub).");
