/**
 * The type of the extra emoji that the server adds to Unicode's has two spellings. Requests may use either; the server's own is
 * `service_extra_emoji`. Clients whose User-Agent begins with "Zulip" fail to decode it, so they and the event queues that they
 * registered get `zulip_extra_emoji`.
 */

export const knowsLegacyExtraType = (userAgent: string | undefined): boolean => /^zulip/i.test(userAgent ?? "");

/**
 * Replaces the spelling in a reply's JSON. This cannot change users' content, because quotation marks within JSON strings are
 * escaped.
 */
export const jsonWithLegacyExtraType = (json: string): string =>
  json.replaceAll('"reaction_type":"service_extra_emoji"', '"reaction_type":"zulip_extra_emoji"');

/** Replaces the spelling in a value that will be serialized as JSON. */
export const withLegacyExtraType = <T>(value: T): T => JSON.parse(jsonWithLegacyExtraType(JSON.stringify(value)));
