import { endpoint } from "../../shared/http/endpoint.ts";
import { checkSnippetContent, checkTitle, saveSnippet } from "../../shared/saved-snippets/saved-snippets.ts";
import { int, text } from "../../shared/schema/params.ts";

export const handler = endpoint(
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
    const saved_snippet_id = await saveSnippet(caller.id, { title, content });
    return { saved_snippet_id };
  },
);
