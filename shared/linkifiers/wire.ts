import { int, strictObject, text, type Value } from "../schema/params.ts";
import type { Linkifier } from "../store/organization/linkifiers.ts";

/** The linkifier object; see https://zulip.com/api/get-linkifiers. */
export const linkifierObject = strictObject({ id: int(), pattern: text(), url_template: text() });

export const toLinkifierWire = ({ id, pattern, urlTemplate }: Linkifier): Value<typeof linkifierObject> => ({
  id,
  pattern,
  url_template: urlTemplate,
});
