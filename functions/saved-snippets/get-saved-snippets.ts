import { endpoint } from "../../shared/http/endpoint.ts";
import { savedSnippetObject, savedSnippetsState } from "../../shared/saved-snippets/saved-snippets.ts";
import { list } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/saved_snippets",
    summary: "Lists the caller's saved snippets.",
    caller: "user",
    params: {},
    returns: { saved_snippets: list(savedSnippetObject) },
    uses: { table: "read" },
  },
  async ({ caller }) => savedSnippetsState(caller),
);
