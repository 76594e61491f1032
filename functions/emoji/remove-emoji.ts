import { text } from "../../shared/base/schema/params.ts";
import { deactivateOrganizationEmoji } from "../../shared/core/emoji/actions.ts";
import { accessEmojiToRemove } from "../../shared/core/emoji/manage.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/realm/emoji/{emoji_name}",
    summary: "Deactivates a custom emoji. Existing messages and reactions still show it.",
    caller: "user",
    params: { emoji_name: text() },
    returns: {},
    errors: ["BAD_REQUEST 404", "UNAUTHORIZED_PRINCIPAL"],
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const emoji = await accessEmojiToRemove(caller, params.emoji_name);
    return { change: await deactivateOrganizationEmoji(emoji) };
  },
);
