import { int } from "../../shared/base/schema/params.ts";
import { ownSnippet, removeSnippet } from "../../shared/features/saved-snippets/saved-snippets.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/saved_snippets/{saved_snippet_id}",
    summary: "Deletes a saved snippet.",
    caller: "user",
    params: { saved_snippet_id: int() },
    returns: {},
    needs: { snippet: ownSnippet },
    errors: ["BAD_REQUEST 404"],
    uses: { table: "readWrite" },
  },
  ({ snippet }) => ({ change: removeSnippet(snippet) }),
);
