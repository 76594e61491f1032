import { bool, int, mapOf, strictObject, text, union, type Value } from "../../base/schema/params.ts";
import { placeholderEmail, visibleEmail } from "../../services/identity/visibility.ts";
import type { Presence } from "../../store/users/presence.ts";
import type { User } from "../../store/users/users.ts";
import { toLegacyPresence, toModernPresence } from "./rules.ts";

/** Presence in replies and events; see https://zulip.com/api/get-presence. */

export const modernPresence = strictObject({ active_timestamp: int(), idle_timestamp: int() });
const clientFields = { client: text(), status: text(), timestamp: int() };
export const websitePresence = strictObject({ ...clientFields, pushable: bool() });
const legacyPresence = strictObject({ aggregated: strictObject(clientFields), website: websitePresence });

/** Presences by user ID in the modern format, and by email address in the legacy one. */
export const presencesObject = mapOf(union([modernPresence, legacyPresence], "a presence"));
export type PresencesObject = Value<typeof presencesObject>;

export interface UserPresence {
  user: User;
  presence: Presence;
}

/**
 * Presences by user ID in the modern (`slim`) format; in the legacy format by email address, which is a placeholder for
 * inaccessible users.
 */
export const toPresencesWire = (
  userPresences: readonly UserPresence[],
  slim: boolean,
  isAccessible: (user: User) => boolean,
): PresencesObject =>
  Object.fromEntries(
    userPresences.map(({ user, presence }) =>
      slim
        ? [String(user.id), toModernPresence(presence, user.joinedAt)]
        : [
            isAccessible(user) ? visibleEmail(user) : placeholderEmail(user.id),
            toLegacyPresence(presence, user.joinedAt),
          ],
    ),
  );
