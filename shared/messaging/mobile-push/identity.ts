import { createHash } from "node:crypto";
import { serverUrl } from "../../base/environment.ts";
import { realmId } from "../../base/limits.ts";
import type { Realm } from "../../services/organization/access.ts";

/** A user's stable, opaque ID for the bouncer. */
export function userUuid({ uuid }: Realm, userId: number): string {
  const hex = createHash("sha256").update(`${uuid} user ${userId}`).digest("hex");
  // UUID version 8 (RFC 9562): application-defined.
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(18, 20),
    hex.slice(20, 32),
  ].join("-");
}

/** The fields that identify the server and the user in every notification. */
export const commonPayload = (realm: Realm, userId: number) => ({
  realm_name: realm.name,
  realm_url: serverUrl(),
  user_id: userId,
});

/** The fields that identify the server and the user in every legacy notification. */
export const legacyPayload = (realm: Realm, userId: number) => ({
  ...commonPayload(realm, userId),
  server: URL.canParse(serverUrl()) ? new URL(serverUrl()).host : "",
  realm_id: realmId,
  realm_uri: serverUrl(),
});
