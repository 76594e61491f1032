import { list } from "../../shared/base/schema/params.ts";
import { savedSnippetObject, savedSnippetsState } from "../../shared/features/saved-snippets/saved-snippets.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

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
