import { endpoint } from "../../shared/http/endpoint.ts";
import { int } from "../../shared/http/params.ts";
import { accessSnippet, snippetDoesNotExist } from "../../shared/snippets/access.ts";
import { removeSnippet } from "../../shared/snippets/actions.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/saved_snippets/{saved_snippet_id}",
    summary: "Deletes a saved snippet.",
    caller: "user",
    params: { saved_snippet_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const snippet = await accessSnippet(caller, params.saved_snippet_id);
    if (!(await removeSnippet(snippet))) throw snippetDoesNotExist();
  },
);
