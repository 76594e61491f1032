import { deactivateOrganizationEmoji } from "../../shared/emoji/actions.ts";
import { accessEmojiToRemove } from "../../shared/emoji/manage.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { text } from "../../shared/schema/params.ts";

export const handler = endpoint(
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
    await deactivateOrganizationEmoji(emoji);
  },
);
