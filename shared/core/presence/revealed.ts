import { isPresenceLimited } from "../../base/environment.ts";
import type { LogEventOf } from "../../base/schema/event-types.ts";
import { nowSeconds } from "../../base/time.ts";
import { placeholderEmail, visibleEmail } from "../../services/identity/visibility.ts";
import type { Realm } from "../../services/organization/access.ts";
import { findPresence } from "../../store/users/presence.ts";
import type { RevealedUsers } from "../users/client-events.ts";
import { presenceEvent } from "./actions.ts";
import { isListed } from "./rules.ts";

/**
 * The presence of people who have become accessible to a client, or no longer are, as it sees it from now on: by their address or
 * a placeholder. None for those who disappear where inaccessible users' presence is not shown.
 */
export async function revealedPresences(
  { people, appear }: RevealedUsers,
  { settings }: Realm,
): Promise<LogEventOf<"presence">[]> {
  const shown = people.filter(
    ({ active }) => active && !settings.presence_disabled && (appear || !isPresenceLimited()),
  );
  if (shown.length === 0) return [];
  // Each by itself, because the list of all is eventually consistent.
  const presences = await Promise.all(shown.map(({ id }) => findPresence(id)));
  return shown.flatMap((user, index) => {
    const presence = presences[index];
    const email = appear ? visibleEmail(user) : placeholderEmail(user.id);
    return presence && isListed(presence, nowSeconds()) ? [presenceEvent(user, email, presence)] : [];
  });
}
