import { badRequest } from "../../shared/base/errors.ts";
import { onDemand } from "../../shared/base/needs.ts";
import { int, optional, text } from "../../shared/base/schema/params.ts";
import {
  checkSnippetContent,
  checkTitle,
  editSnippet,
  ownSnippet,
} from "../../shared/features/saved-snippets/saved-snippets.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "PATCH",
    path: "/saved_snippets/{saved_snippet_id}",
    summary: "Changes the title or the content of a saved snippet.",
    caller: "user",
    params: { saved_snippet_id: int(), title: optional(text()), content: optional(text()) },
    returns: {},
    needs: { accessSnippet: onDemand(ownSnippet) },
    errors: ["BAD_REQUEST 404"],
    uses: { table: "readWrite" },
  },
  async ({ params, accessSnippet }) => {
    const title = params.title === undefined ? undefined : checkTitle(params.title);
    const content = params.content === undefined ? undefined : checkSnippetContent(params.content);
    const before = await accessSnippet();
    if (title === undefined && content === undefined) return {};
    return { change: editSnippet(before, { title: title ?? before.title, content: content ?? before.content }) };
  },
  { exhausted: () => badRequest("The saved snippet was changed by another request; try again.") },
);
