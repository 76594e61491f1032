import { badRequest } from "../../shared/errors.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int, text } from "../../shared/http/params.ts";
import { limits } from "../../shared/settings.ts";
import { saveSnippet } from "../../shared/snippets/actions.ts";
import { checkSnippetContent, checkTitle } from "../../shared/snippets/rules.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/saved_snippets",
    summary: "Saves a text for later use in messages.",
    caller: "user",
    params: { title: text(), content: text() },
    returns: { saved_snippet_id: int() },
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const title = checkTitle(params.title);
    const content = checkSnippetContent(params.content);
    const saved_snippet_id = await saveSnippet(caller.id, { title, content });
    if (saved_snippet_id === undefined)
      throw badRequest(`You can save at most ${limits.savedSnippets} snippets; delete one first.`);
    return { saved_snippet_id };
  },
);
