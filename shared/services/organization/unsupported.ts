import { badRequest } from "../../base/errors.ts";

/**
 * Settings of Zulip that have no effect here (docs/behaviour.md). Requests that change one are refused. Clients receive
 * the values that describe this server's behaviour.
 */

export const unsupportedRealmSettings: ReadonlySet<string> = new Set([
  "can_manage_billing_group",
  "can_summarize_topics_group",
  "digest_emails_enabled",
  "digest_weekday",
  "giphy_rating",
  "inline_url_embed_preview",
  "want_advertise_in_communities_directory",
  "zulip_update_announcements_stream_id",
]);

export const unsupportedUserSettings: ReadonlySet<string> = new Set([
  "enable_digest_emails",
  "enable_marketing_emails",
  "resolved_topic_notice_auto_read_policy",
]);

/** Refuses to create a video call with BigBlueButton. */
export function refuseCall(): never {
  throw badRequest("BigBlueButton is not configured.");
}

/** Refuses to sign in by a JSON web token of another service, as where no key of one is configured. */
export function refuseJsonWebTokens(): never {
  throw badRequest("JWT authentication is not enabled for this organization");
}

/** Refuses a request that names a setting among `unsupported`, whatever its value. */
export function checkSupported(params: Record<string, unknown>, unsupported: ReadonlySet<string>): void {
  const name = Object.keys(params).find((each) => params[each] !== undefined && unsupported.has(each));
  if (name !== undefined) throw badRequest(`${name} is not supported by this server.`);
}
