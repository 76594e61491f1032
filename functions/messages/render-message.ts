import { endpoint } from "../../shared/http/endpoint.ts";
import { string, text } from "../../shared/http/params.ts";
import { renderText } from "../../shared/messages/render.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { limits } from "../../shared/settings.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/messages/render",
    summary: "Renders a text to HTML as a message of the caller would be; nobody is notified.",
    caller: "user",
    params: { content: string({ max: limits.messageLength }) },
    returns: { rendered: text() },
    uses: { table: "read" },
  },
  async ({ caller, params }) => {
    const { html } = await renderText(params.content, await accessRealm(), caller);
    return { rendered: html };
  },
);
