import type { Acknowledgement } from "../../connections/messages.ts";
import { badRequest } from "../../errors.ts";
import { type Caller, isBot } from "../../identity/caller.ts";
import { describeError } from "../../observability/describe-error.ts";
import { loadRealm } from "../../organization/access.ts";
import { answerPing } from "../../presence/ping.ts";
import { reportHoldsSeconds } from "../../presence/rules.ts";
import type { PresenceState } from "../../presence/state.ts";

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
