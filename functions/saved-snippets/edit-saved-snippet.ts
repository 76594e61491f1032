import { badRequest } from "../../shared/errors.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int, optional, text } from "../../shared/http/params.ts";
import { accessSnippet } from "../../shared/snippets/access.ts";
import { editSnippet } from "../../shared/snippets/actions.ts";
import { checkSnippetContent, checkTitle } from "../../shared/snippets/rules.ts";

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/saved_snippets/{saved_snippet_id}",
    summary: "Changes the title or the content of a saved snippet.",
    caller: "user",
    params: { saved_snippet_id: int(), title: optional(text()), content: optional(text()) },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const title = params.title === undefined ? undefined : checkTitle(params.title);
    const content = params.content === undefined ? undefined : checkSnippetContent(params.content);
    for (let attempt = 0; attempt < 5; attempt++) {
      const before = await accessSnippet(caller, params.saved_snippet_id);
      if (title === undefined && content === undefined) return;
      if (await editSnippet(before, { title: title ?? before.title, content: content ?? before.content })) return;
    }
    throw badRequest("The saved snippet was changed at the same time; try again.");
  },
);
