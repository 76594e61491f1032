import { badRequest } from "../../shared/errors.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import {
  accessSnippet,
  checkSnippetContent,
  checkTitle,
  editSnippet,
} from "../../shared/saved-snippets/saved-snippets.ts";
import { int, optional, text } from "../../shared/schema/params.ts";
import { retryOnConflict } from "../../shared/store/table/conflicts.ts";

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/saved_snippets/{saved_snippet_id}",
    summary: "Changes the title or the content of a saved snippet.",
    caller: "user",
    params: { saved_snippet_id: int(), title: optional(text()), content: optional(text()) },
    returns: {},
    errors: ["BAD_REQUEST 404"],
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const title = params.title === undefined ? undefined : checkTitle(params.title);
    const content = params.content === undefined ? undefined : checkSnippetContent(params.content);
    await retryOnConflict(
      async () => {
        const before = await accessSnippet(caller, params.saved_snippet_id);
        if (title !== undefined || content !== undefined)
          await editSnippet(before, { title: title ?? before.title, content: content ?? before.content });
      },
      { exhausted: () => badRequest("The saved snippet was changed by another request; try again.") },
    );
  },
);
