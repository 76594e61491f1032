import { endpoint } from "../../shared/http/endpoint.ts";
import { accessSnippet, removeSnippet } from "../../shared/saved-snippets/saved-snippets.ts";
import { int } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/saved_snippets/{saved_snippet_id}",
    summary: "Deletes a saved snippet.",
    caller: "user",
    params: { saved_snippet_id: int() },
    returns: {},
    errors: ["BAD_REQUEST 404"],
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const snippet = await accessSnippet(caller, params.saved_snippet_id);
    await removeSnippet(snippet);
  },
);
