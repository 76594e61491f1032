import { prefetchEmoji } from "../../shared/emoji/access.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { accessMessageToChange, prefetchMessage } from "../../shared/messages/access.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { unreact } from "../../shared/reactions/reactions.ts";
import { int, oneOf, optional, string } from "../../shared/schema/params.ts";
import { reactionTypes } from "../../shared/store/messages/reactions.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/messages/{message_id}/reactions",
    summary: "Removes one of the caller's emoji reactions.",
    caller: "user",
    params: {
      message_id: int(),
      emoji_name: optional(string({ max: 200 })),
      emoji_code: optional(string({ max: 200 })),
      reaction_type: optional(oneOf(reactionTypes)),
    },
    returns: {},
    prefetch: (request) => Promise.all([prefetchMessage(request), prefetchEmoji(request)]),
    errors: ["REACTION_DOES_NOT_EXIST"],
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const realm = await accessRealm();
    const { message } = await accessMessageToChange(caller, params.message_id, realm);
    const emoji = { name: params.emoji_name, code: params.emoji_code, type: params.reaction_type };
    await unreact(caller, message, emoji, realm);
  },
);
