import { bool, either, exactly, int, mapOf, text, type Value } from "../http/params.ts";
import type { Presence } from "../store/presence.ts";
import type { User } from "../store/users.ts";
import { shownEmail } from "../users/visibility.ts";
import { legacy, modern } from "./rules.ts";

/** Presence on the wire (2.8). */

const modernPresence = exactly({ active_timestamp: int(), idle_timestamp: int() });
const clientFields = { client: text(), status: text(), timestamp: int() };
const legacyPresence = exactly({
  aggregated: exactly(clientFields),
  website: exactly({ ...clientFields, pushable: bool() }),
});

/** By user ID in the modern format, by address in the legacy one. */
export const presencesObject = mapOf(either([modernPresence, legacyPresence], "a presence"));
export type PresencesObject = Value<typeof presencesObject>;

/** A person with their presence. */
export interface Present {
  user: User;
  presence: Presence;
}

export const wirePresences = (present: readonly Present[], slim: boolean): PresencesObject =>
  Object.fromEntries(
    present.map(({ user, presence }) =>
      slim ? [String(user.id), modern(presence, user.joinedAt)] : [shownEmail(user), legacy(presence, user.joinedAt)],
    ),
  );
