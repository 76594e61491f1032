import { endpoint } from "../../shared/http/endpoint.ts";
import { limits } from "../../shared/limits.ts";
import { isChannelType, messageTypes } from "../../shared/messages/send/destination.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { int, list, oneOf, optional, text, union, withDefault } from "../../shared/schema/params.ts";
import {
  accessTypingPeople,
  accessTypingTopic,
  checkTypingPeople,
  checkTypingTopic,
} from "../../shared/typing/access.ts";
import { sendDirectTyping, sendTopicTyping, typingOps } from "../../shared/typing/actions.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/typing",
    summary: "Reports that the caller has started or stopped typing a message.",
    note: "Subscribers of a channel are notified if it has at most 100, and not those who had disabled it when somebody typed.",
    caller: "user",
    params: {
      type: withDefault(oneOf(messageTypes), "direct"),
      op: oneOf(typingOps),
      to: optional(union([list(int(), { max: limits.directMessageParticipants }), int()], "a list of integers")),
      stream_id: optional(int()),
      topic: optional(text()),
    },
    returns: {},
    // A direct conversation needs no settings of the organization.
    prefetch: async ({ rawParameter }) =>
      /^(channel|stream)$/.test(rawParameter("type") ?? "") && (await accessRealm()),
    uses: { table: "readWrite" },
  },
  async ({ caller, params: { type, op, ...destination } }) => {
    if (isChannelType(type)) {
      const topic = checkTypingTopic(destination);
      const { sender, topic: storedTopic, audience } = await accessTypingTopic(caller, topic, await accessRealm());
      return sendTopicTyping(sender, op, storedTopic, audience);
    }
    const participants = await accessTypingPeople(caller, checkTypingPeople(destination));
    return sendDirectTyping(participants.people[0], op, participants);
  },
);
