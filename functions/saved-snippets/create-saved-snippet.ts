import { int, text } from "../../shared/base/schema/params.ts";
import { checkSnippetContent, checkTitle, newSnippet } from "../../shared/features/saved-snippets/saved-snippets.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/saved_snippets",
    summary: "Saves a text for later use in messages.",
    caller: "user",
    params: { title: text(), content: text() },
    returns: { saved_snippet_id: int() },
    creates: "savedSnippet",
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const title = checkTitle(params.title);
    const content = checkSnippetContent(params.content);
    const { id, change } = await newSnippet(caller.id, { title, content });
    return { change, reply: { saved_snippet_id: id } };
  },
);
