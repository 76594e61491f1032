import { badRequest } from "../../../base/errors.ts";
import { describeError } from "../../../base/observability/describe-error.ts";
import { answerPing } from "../../../core/presence/ping.ts";
import { reportHoldsSeconds } from "../../../core/presence/rules.ts";
import type { PresenceState } from "../../../core/presence/state.ts";
import type { Acknowledgement } from "../../../services/connections/messages.ts";
import { type Caller, isBot } from "../../../services/identity/caller.ts";
import { loadRealm } from "../../../services/organization/access.ts";

/**
 * Presence by a connection. A ping each minute would be the most frequent message of all, and each would run a function. So a
 * client reports its user with the acknowledgement that it sends every four minutes, and when the user returns; each report
 * holds until the next one. Nothing is sent while nothing changes.
 */

/** About 250 people. */
const maxPresenceBytes = 16 * 1024;

/** The presences that a client asked for. Without `presences`, they are too large: `POST /users/me/presence` returns them. */
export type PresenceAnswer = PresenceState | Pick<PresenceState, "presence_last_update_id">;

/**
 * Records what a connected client reports of its user, and returns the presences that it asks for. Throws BAD_REQUEST for bots. An error of the table is logged, since the client needs its events all the same.
 */
export async function answerPresence(
  caller: Caller,
  { presence: status, presence_last_update_id: lastUpdateId }: Acknowledgement,
): Promise<PresenceAnswer | undefined> {
  if (status === undefined) return undefined;
  if (isBot(caller)) throw badRequest("Presence is not supported for bot users.");
  const asks = lastUpdateId === undefined ? undefined : { lastUpdateId, slim: true };
  try {
    const state = await answerPing(caller, { status, holdsSeconds: reportHoldsSeconds, asks }, await loadRealm());
    const isTooLarge = state !== undefined && Buffer.byteLength(JSON.stringify(state)) > maxPresenceBytes;
    return isTooLarge ? { presence_last_update_id: lastUpdateId ?? -1 } : state;
  } catch (error) {
    console.error(JSON.stringify({ presence: "not recorded", error: describeError(error) }));
    return undefined;
  }
}
