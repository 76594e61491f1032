import { endpoint } from "../../shared/http/endpoint.ts";
import { limits } from "../../shared/limits.ts";
import { prefetchNamed } from "../../shared/messages/render/context.ts";
import { renderText } from "../../shared/messages/render/render.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { string, text } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/messages/render",
    summary: "Renders Markdown to HTML as if the caller had sent it as a message.",
    caller: "user",
    params: { content: string({ max: limits.messageLength, label: "Message" }) },
    returns: { rendered: text() },
    prefetch: ({ rawParameter }) => Promise.all([accessRealm(), prefetchNamed(rawParameter("content"))]),
    uses: { table: "read" },
  },
  async ({ caller, params }) => {
    const { html } = await renderText(params.content, await accessRealm(), caller);
    return { rendered: html };
  },
);
