import { endpoint } from "../../shared/http/endpoint.ts";
import { list } from "../../shared/http/params.ts";
import { savedSnippetsState } from "../../shared/snippets/state.ts";
import { savedSnippetObject } from "../../shared/snippets/wire.ts";

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
