import { badRequest } from "../../shared/errors.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { either, int, list, oneOf, optional, text, withDefault } from "../../shared/http/params.ts";
import { isChannelType, messageTypes } from "../../shared/messages/destination.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { limits } from "../../shared/settings.ts";
import { accessTypingPeople, accessTypingTopic } from "../../shared/typing/access.ts";
import { typeDirectly, typeInChannel, typingOps } from "../../shared/typing/actions.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/typing",
    summary: "Says that the caller begins or stops to write a message.",
    caller: "user",
    params: {
      type: withDefault(oneOf(messageTypes), "direct"),
      op: oneOf(typingOps),
      to: optional(either([list(int(), { max: limits.directMessageParticipants }), int()], "a list of integers")),
      stream_id: optional(int()),
      topic: optional(text()),
    },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ caller, params: { type, op, to, stream_id, topic } }) => {
    if (isChannelType(type)) {
      // Older clients name the channel in `to`.
      const channelId = stream_id ?? [to ?? []].flat()[0];
      if (channelId === undefined) throw badRequest("Missing channel ID");
      if (topic === undefined) throw badRequest("Missing topic");
      const { sender, place, subscriberIds } = await accessTypingTopic(
        caller,
        { channelId, topic },
        await accessRealm(),
      );
      return typeInChannel(sender, op, place, subscriberIds);
    }
    if (to === undefined) throw badRequest("Missing 'to' argument");
    const people = await accessTypingPeople(caller, [to].flat());
    return typeDirectly(people[0], op, people);
  },
);
