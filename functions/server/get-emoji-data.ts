import { loadEmojiTable } from "../../shared/emoji/names.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { list, mapOf, string } from "../../shared/http/params.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/emoji_data",
    summary:
      "Lists Unicode's emoji with their names, the canonical one first; registration tells clients of this address.",
    caller: "anyone",
    params: {},
    returns: { code_to_names: mapOf(list(string())) },
    uses: {},
  },
  async () => {
    const table = await loadEmojiTable();
    return { code_to_names: Object.fromEntries([...table.entries()].map(([code, names]) => [code, [...names]])) };
  },
);
