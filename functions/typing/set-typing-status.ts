import { limits } from "../../shared/base/limits.ts";
import { int, list, oneOf, optional, text, union, withDefault } from "../../shared/base/schema/params.ts";
import { messageTypes } from "../../shared/messaging/messages/send/destination.ts";
import { typingPlace } from "../../shared/messaging/typing/access.ts";
import { sendDirectTyping, sendTopicTyping, typingOps } from "../../shared/messaging/typing/actions.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/typing",
    summary: "Reports that the caller has started or stopped typing a message.",
    note: "A channel's subscribers are notified if it has at most 100 of them, except those who had disabled typing notifications when somebody typed.",
    caller: "user",
    params: {
      type: withDefault(oneOf(messageTypes), "direct"),
      op: oneOf(typingOps),
      to: optional(union([list(int(), { max: limits.directMessageParticipants }), int()], "a list of integers")),
      stream_id: optional(int()),
      topic: optional(text()),
    },
    returns: {},
    needs: { place: typingPlace },
    uses: { table: "readWrite" },
  },
  ({ params: { op }, place: { topic, people } }) => ({
    change: topic
      ? sendTopicTyping(topic.sender, op, topic.topic, topic.audience)
      : sendDirectTyping(people.people[0], op, people),
  }),
);
