import { int, oneOf, optional, string } from "../../shared/base/schema/params.ts";
import { namedEmoji } from "../../shared/core/emoji/access.ts";
import { participationSettings, policyChangeByParticipation } from "../../shared/core/user-topics/automatic.ts";
import { messageToChange } from "../../shared/messaging/messages/access.ts";
import { react, tooManyConcurrentReactions } from "../../shared/messaging/reactions/reactions.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";
import { noChange, withPart } from "../../shared/store/log/log.ts";
import { reactionTypes } from "../../shared/store/messages/reactions.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/messages/{message_id}/reactions",
    summary: "Adds an emoji reaction to a message.",
    note: [
      "A message has at most 100 different emoji (at most 40 from one person) and 10,000 reactions. Reactions are listed by emoji in the order of first use, then by user ID. When the last reaction with an emoji is removed, the emoji's name and position are forgotten.",
      "The type of the extra emoji is `zulip_extra_emoji` for requests whose `User-Agent` begins with `Zulip` and for the event queues that they registered, and `service_extra_emoji` otherwise; requests may use either.",
    ],
    caller: "user",
    params: {
      message_id: int(),
      emoji_name: string({ max: 200 }),
      emoji_code: optional(string({ max: 200 })),
      reaction_type: optional(oneOf(reactionTypes)),
    },
    returns: {},
    needs: { realm, message: messageToChange, emoji: namedEmoji, settings: participationSettings },
    errors: ["REACTION_ALREADY_EXISTS"],
    creates: "reaction",
    uses: { table: "readWrite" },
  },
  async ({ caller, realm, message: { message, channel }, emoji, settings }) => {
    const reaction = await react(caller, message, emoji, realm);
    const policyChange = channel
      ? await policyChangeByParticipation(caller, channel, message.topic ?? "", settings)
      : noChange;
    return { change: withPart(reaction, policyChange) };
  },
  { exhausted: tooManyConcurrentReactions },
);
