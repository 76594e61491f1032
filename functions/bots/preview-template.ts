import { int, nullable, optional, string, text } from "../../shared/base/schema/params.ts";
import { maxConfigValueLength } from "../../shared/features/bots/params.ts";
import { previewTemplate } from "../../shared/features/integrations/preview.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/bots/{bot_id}/template_preview",
    summary:
      "Shows what a bot's generic integration would post for the last payload it received. For its owner and administrators.",
    note: [
      "Templates that the request omits are taken from the bot's configuration.",
      "The last payload is kept in the table for seven days, shortened until it compresses to at most 1.8 KB. Only the generic integration keeps one. If there is none, only the templates are returned, and everything else is null.",
      "If the content is empty, nothing would be posted, and `topic`, `content` and `rendered` are null.",
    ],
    caller: "human",
    params: {
      bot_id: int(),
      topic_template: optional(string({ max: maxConfigValueLength })),
      content_template: optional(string({ max: maxConfigValueLength })),
    },
    returns: {
      topic_template: string(),
      content_template: string(),
      payload: nullable(text()),
      received_at: nullable(int()),
      topic: nullable(text()),
      content: nullable(text()),
      rendered: nullable(text()),
    },
    needs: { realm },
    errors: ["UNAUTHORIZED_PRINCIPAL"],
    uses: { table: "read" },
  },
  ({ caller, params: { bot_id: botId, ...templates }, realm }) => previewTemplate(caller, botId, templates, realm),
);
