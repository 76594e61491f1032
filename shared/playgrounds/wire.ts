import { int, strictObject, text, type Value } from "../schema/params.ts";
import { type Playground, playgroundsKey, readShortList } from "../store/organization/short-lists.ts";

/** The code playground object; see https://zulip.com/api/add-code-playground. */
export const playgroundObject = strictObject({
  id: int(),
  name: text(),
  pygments_language: text(),
  url_template: text(),
});

export const toPlaygroundWire = ({ id, name, language, urlTemplate }: Playground): Value<typeof playgroundObject> => ({
  id,
  name,
  pygments_language: language,
  url_template: urlTemplate,
});

export const playgroundsState = async () => ({
  realm_playgrounds: (await readShortList(playgroundsKey)).entries.map(toPlaygroundWire),
});
