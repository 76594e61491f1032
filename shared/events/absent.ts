import { bool, exactly, list, nullable, type Shape, text } from "../http/params.ts";

/**
 * What the reference server has and Skein does not, told as it is told where nobody uses it: clients look for these
 * fields (docs/decisions.md, Live).
 */

const nothing = list(text());

/** The fields by the event type whose clients want them. */
export const absentFeatures: Record<string, Record<string, unknown>> = {
  default_stream_groups: { realm_default_stream_groups: [] },
  giphy: { giphy_api_key: "" },
  onboarding_steps: { onboarding_steps: [], navigation_tour_video_url: null },
  realm_billing: { realm_billing: { has_pending_sponsorship_request: false } },
  realm_domains: { realm_domains: [] },
  realm_embedded_bots: { realm_embedded_bots: [] },
  realm_filters: { realm_filters: [] },
  realm_incoming_webhook_bots: { realm_incoming_webhook_bots: [] },
  stop_words: { stop_words: [] },
  video_calls: { has_zoom_token: false },
};

export const absentShape: Shape = {
  realm_default_stream_groups: nothing,
  giphy_api_key: text(),
  onboarding_steps: nothing,
  navigation_tour_video_url: nullable(text()),
  realm_billing: exactly({ has_pending_sponsorship_request: bool() }),
  realm_domains: nothing,
  realm_embedded_bots: nothing,
  realm_filters: nothing,
  realm_incoming_webhook_bots: nothing,
  stop_words: nothing,
  has_zoom_token: bool(),
};
