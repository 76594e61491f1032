/**
 * The type of emoji that the service has beside Unicode's has two spellings. Requests may use either; in here and in the
 * table it is `service_extra_emoji`. Clients whose User-Agent begins with "Zulip" fail to decode everything that holds it,
 * so that they, and the event queues that they registered, get `zulip_extra_emoji`.
 */

export const knowsLegacyExtraType = (userAgent: string | undefined): boolean => /^zulip/i.test(userAgent ?? "");

/**
 * A reply's JSON with the legacy spelling. Quotation marks within a JSON string are escaped, so that nobody's text can
 * contain what is replaced.
 */
export const jsonWithLegacyExtraType = (json: string): string =>
  json.replaceAll('"reaction_type":"service_extra_emoji"', '"reaction_type":"zulip_extra_emoji"');

/** The same of a value that is still to become JSON. */
export const withLegacyExtraType = <T>(value: T): T => JSON.parse(jsonWithLegacyExtraType(JSON.stringify(value)));
