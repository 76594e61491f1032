/**
 * The `reaction_type` of emoji that the server offers in addition to Unicode's has two spellings. Requests may use either.
 * Replies and events have `service_extra_emoji`, except for clients whose User-Agent begins with "Zulip" and the event queues
 * that they registered: these clients decode only the legacy spelling, `zulip_extra_emoji`.
 */

export const needsLegacyExtraType = (userAgent: string | undefined): boolean => /^zulip/i.test(userAgent ?? "");

/**
 * Replaces the spelling in a reply's JSON with the legacy one. Cannot change users' content, because quotation marks within
 * JSON strings are escaped.
 */
export const jsonWithLegacyExtraType = (json: string): string =>
  json.replaceAll('"reaction_type":"service_extra_emoji"', '"reaction_type":"zulip_extra_emoji"');

/** Replaces the spelling with the legacy one in a value that will be serialized as JSON. */
export const withLegacyExtraType = <T>(value: T): T => JSON.parse(jsonWithLegacyExtraType(JSON.stringify(value)));
