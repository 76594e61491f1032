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
      "Shows what a bot's generic integration would post of the last payload that came. For its owner and administrators.",
    note: [
      "Templates that are left out are those of the bot's configuration.",
      "The last payload is kept in the table for seven days, shortened until it has at most 1.8 KB when it is compressed. Only the generic integration keeps one. It is null if there is none, and then nothing else is returned than the templates.",
      "`topic`, `content` and `rendered` are null if the content is empty, and nothing would be posted.",
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
