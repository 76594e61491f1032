import { t } from "../../base/languages/language.ts";
import { realm } from "../../session/store.ts";

/** A link to a new call on the organization's server of Jitsi Meet. Whoever knows the address of a call takes part. */
export function linkToNewCall(): string {
  const { realm_jitsi_server_url, server_jitsi_server_url } = realm.value ?? {};
  const server = String(realm_jitsi_server_url ?? server_jitsi_server_url).replace(/\/+$/, "");
  return `[${t("Join the video call.")}](${server}/${crypto.randomUUID()})`;
}
