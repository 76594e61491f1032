import { creationLimits, tooMany } from "../../base/creation-limits.ts";
import { pushBouncerUrl } from "../../base/environment.ts";
import { badRequest } from "../../base/errors.ts";
import { outboxJob } from "../../services/jobs/outbox.ts";
import { loadRealm, type Realm } from "../../services/organization/access.ts";
import {
  createPushToken,
  deletePushToken,
  deletePushTokenIfThere,
  findPushToken,
  listPushTokens,
  type PushToken,
  setPushTokenKey,
} from "../../store/delivery/push-tokens.ts";
import { commit } from "../../store/log/log.ts";
import { succeeds } from "../../store/table/conflicts.ts";
import type { Write } from "../../store/table/writes.ts";
import { markPushUsed, startNotificationCursor } from "../notifications/notifications-enabled.ts";
import { BouncerError, postToBouncer } from "./bouncer.ts";
import { userUuid } from "./identity.ts";
import { syncPushTokenJob } from "./jobs.ts";

type TokenId = Pick<PushToken, "userId" | "kind" | "token">;

/**
 * Adds a legacy token. Idempotent. Refuses more than a person may have, which requests at once may exceed by their number. Costs
 * 9 write units with its job.
 */
export async function addPushToken(token: PushToken): Promise<void> {
  const existing = await listPushTokens(token.userId);
  const same = existing.find((each) => each.kind === token.kind && each.token === token.token);
  // The app has signed in again: the token no longer ends with its former key.
  if (same && same.keyHash !== token.keyHash)
    return void (await succeeds(commit({ writes: [setPushTokenKey(token)] })));
  const others = existing.filter((each) => each.token !== token.token);
  if (others.length >= creationLimits.pushDevice.max) throw badRequest(tooMany("pushDevice"));
  const isFirst = pushBouncerUrl() !== undefined && !(await loadRealm()).pushUsed;
  if (isFirst) await startNotificationCursor();
  await applyTokenChange([createPushToken(token), ...(isFirst ? [markPushUsed()] : [])], token);
}

/** Removes a legacy token; throws a 400 if it does not exist. */
export async function removePushToken(token: TokenId): Promise<void> {
  if (!(await applyTokenChange([deletePushToken(token)], token))) throw badRequest("Token does not exist");
}

/** Removes a legacy token. Idempotent. */
export const removePushTokenIfThere = (token: TokenId): Promise<boolean> =>
  applyTokenChange([deletePushTokenIfThere(token)], token);

function applyTokenChange(writes: Write[], { userId, kind, token }: TokenId): Promise<boolean> {
  const followUps = pushBouncerUrl() ? [outboxJob(syncPushTokenJob, { user_id: userId, kind, token })] : [];
  // A commit writes a log entry, so that the next message's notification finds the token.
  return succeeds(commit({ writes, followUps }));
}

/** The bouncer's numbers for the kinds of legacy tokens. */
const tokenKinds = { apns: 1, fcm: 2 } as const;

/** The fields that identify a legacy token in requests to the bouncer. */
export const tokenFields = (realm: Realm, { userId, kind, token }: TokenId) => ({
  realm_uuid: realm.uuid,
  user_uuid: userUuid(realm, userId),
  user_id: userId,
  token,
  token_kind: tokenKinds[kind],
});

/** Registers or unregisters a token with the bouncer according to the table. Idempotent. */
export async function syncWithBouncer(id: TokenId): Promise<void> {
  if (!pushBouncerUrl()) return;
  const [realm, found] = await Promise.all([loadRealm(), findPushToken(id)]);
  const form = tokenFields(realm, id);
  try {
    if (found) {
      await postToBouncer("push/register", { form: { ...form, ...(found.appId && { ios_app_id: found.appId }) } });
    } else {
      await postToBouncer("push/unregister", { form });
    }
  } catch (error) {
    // Refused or unknown tokens are not retried.
    if (!(error instanceof BouncerError && error.problem === "refused")) throw error;
    console.error(JSON.stringify({ bouncer: "push tokens", refused: error.code || error.message }));
  }
}
