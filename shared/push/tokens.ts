import { badRequest } from "../errors.ts";
import { outboxJob } from "../jobs/outbox.ts";
import { accessRealm } from "../organization/access.ts";
import { pushBouncerUrl } from "../settings.ts";
import { createPushToken, deletePushToken, findPushToken, type PushToken } from "../store/push-tokens.ts";
import { ConditionFailed, transact } from "../store/transactions.ts";
import type { Write } from "../store/writes.ts";
import { askBouncer, BouncerError } from "./bouncer.ts";
import { beginFollowing, usePush } from "./followed.ts";
import { userUuid } from "./identity.ts";
import { syncPushToken } from "./jobs.ts";

type TokenId = Pick<PushToken, "userId" | "kind" | "token">;

/** Adds a legacy token; one that is there already stays. 6 write units for a short one, with its job. */
export async function addPushToken(token: PushToken): Promise<void> {
  const isFirst = pushBouncerUrl() !== undefined && !(await accessRealm()).pushUsed;
  if (isFirst) await beginFollowing();
  await change([createPushToken(token), ...(isFirst ? [usePush()] : [])], token);
}

/** Removes a legacy token; an error when there is none. */
export async function removePushToken(token: TokenId): Promise<void> {
  if (!(await change([deletePushToken(token)], token))) throw badRequest("Token does not exist");
}

async function change(writes: Write[], { userId, kind, token }: TokenId): Promise<boolean> {
  const job = pushBouncerUrl() ? outboxJob(syncPushToken, { user_id: userId, kind, token }) : undefined;
  try {
    await transact(job ? [...writes, job.write] : writes);
  } catch (error) {
    if (error instanceof ConditionFailed && error.failed.includes(0)) return false;
    throw error;
  }
  await job?.send();
  return true;
}

/** The bouncer's numbers for kinds of legacy tokens. */
export const tokenKinds = { apns: 1, fcm: 2 } as const;

/** Makes the bouncer know a token, or not, as the table has it; doing it again or late does no harm. */
export async function syncWithBouncer(id: TokenId): Promise<void> {
  if (!pushBouncerUrl()) return;
  const [realm, found] = await Promise.all([accessRealm(), findPushToken(id)]);
  const form = {
    realm_uuid: realm.uuid,
    user_uuid: userUuid(realm, id.userId),
    user_id: id.userId,
    token: id.token,
    token_kind: tokenKinds[id.kind],
  };
  try {
    if (found) {
      await askBouncer("push/register", { form: { ...form, ...(found.appId && { ios_app_id: found.appId }) } });
    } else {
      await askBouncer("push/unregister", { form });
    }
  } catch (error) {
    // A token that the bouncer does not know, or will not have, stays so at every try.
    if (!(error instanceof BouncerError && error.problem === "refused")) throw error;
    console.error(JSON.stringify({ bouncer: "push tokens", refused: error.code || error.message }));
  }
}
