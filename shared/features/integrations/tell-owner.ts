import { createHash } from "node:crypto";
import { composeDirectNotice } from "../../messaging/messages/send/notices.ts";
import { sendOnce } from "../../messaging/messages/send/send-once.ts";
import type { Realm } from "../../services/organization/access.ts";
import { findUser } from "../../store/users/users.ts";

/**
 * Tells a bot's owner about a problem with an integration, once in eight days for each `problem`, however often a service calls.
 * Does nothing if the owner is not active.
 */
export async function tellOwner(
  { botId, ownerId, problem }: { botId: number; ownerId: number | null | undefined; problem: string },
  text: string,
  realm: Realm,
): Promise<void> {
  if (ownerId === null || ownerId === undefined) return;
  const jobId = `integration-${botId}-${createHash("sha256").update(problem).digest("base64url")}`;
  if (!(await findUser(ownerId))?.active) return;
  await sendOnce(jobId, ownerId, () => composeDirectNotice(realm, ownerId, text));
}
