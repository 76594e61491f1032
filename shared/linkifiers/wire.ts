import { exactly, int, text, type Value } from "../http/params.ts";
import type { Linkifier } from "../store/linkifiers.ts";

/** A linkifier's record (2.10). */
export const linkifierObject = exactly({ id: int(), pattern: text(), url_template: text() });

export const wireLinkifier = ({ id, pattern, urlTemplate }: Linkifier): Value<typeof linkifierObject> => ({
  id,
  pattern,
  url_template: urlTemplate,
});
