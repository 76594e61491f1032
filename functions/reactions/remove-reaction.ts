import { int, oneOf, optional, string } from "../../shared/base/schema/params.ts";
import { messageToChange } from "../../shared/messaging/messages/access.ts";
import { ownReaction, unreact } from "../../shared/messaging/reactions/reactions.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";
import { reactionTypes } from "../../shared/store/messages/reactions.ts";

export const handler = changeEndpoint(
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
    needs: { realm, message: messageToChange, reaction: ownReaction },
    errors: ["REACTION_DOES_NOT_EXIST"],
    uses: { table: "readWrite" },
  },
  async ({ realm, message: { message }, reaction }) => ({ change: await unreact(message, reaction, realm) }),
);
