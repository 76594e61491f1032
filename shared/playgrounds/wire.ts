import { exactly, int, text, type Value } from "../http/params.ts";
import type { Playground } from "../store/short-lists.ts";

/** The record of a code playground (companion reference, C). */
export const playgroundObject = exactly({ id: int(), name: text(), pygments_language: text(), url_template: text() });

export const wirePlayground = ({ id, name, language, urlTemplate }: Playground): Value<typeof playgroundObject> => ({
  id,
  name,
  pygments_language: language,
  url_template: urlTemplate,
});
