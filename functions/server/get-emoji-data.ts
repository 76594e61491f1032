import { list, mapOf, optional, string, withNote } from "../../shared/base/schema/params.ts";
import { loadEmojiTable } from "../../shared/core/emoji/names.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/emoji_data",
    summary:
      "Lists the Unicode emoji with their names, the canonical one first. `POST /register` returns this URL to clients.",
    note: [
      "Clients may cache the reply for a day; its URL contains the table's version.",
      "Names are those that Zulip's clients autocomplete; newer emoji have the names of the package `emoji-datasource-google`. The picture of `:zulip:` is Skein's own. Emoticons: `:D` is smile, `:o` and `:O` are open_mouth.",
    ],
    caller: "anyone",
    params: {
      v: optional(
        withNote(
          string({ max: 100 }),
          "The table's version, so that the URL changes with the table. Any value returns the current table.",
        ),
      ),
    },
    returns: { code_to_names: mapOf(list(string())) },
    cacheControl: "public, max-age=86400",
    uses: {},
  },
  async () => {
    const table = await loadEmojiTable();
    return { code_to_names: Object.fromEntries([...table.entries()].map(([code, names]) => [code, [...names]])) };
  },
);
