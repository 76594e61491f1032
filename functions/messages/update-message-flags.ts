import { limits } from "../../shared/base/limits.ts";
import { int, list, oneOf, optional, string } from "../../shared/base/schema/params.ts";
import { changeFlag, readerOfFlagged } from "../../shared/messaging/messages/flags/actions.ts";
import { checkEditableFlag } from "../../shared/messaging/messages/flags/flags.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/messages/flags",
    summary: "Adds a personal flag to messages, or removes it.",
    note: "Returns the messages that changed, and sends events only for these. Each event has at most 5,000 messages marked as read, 1,000 marked as unread, or 40 starred or collapsed. Marking as unread, or starring, a message that the caller cannot access returns `Invalid message(s)`; marking it as read is ignored.",
    caller: "user",
    params: {
      messages: list(int({ min: 0 }), { max: limits.messagesPerFetch }),
      op: oneOf(["add", "remove"]),
      flag: string(),
    },
    returns: { messages: list(int()), ignored_because_not_subscribed_channels: optional(list(int())) },
    needs: { realm, reader: readerOfFlagged },
    uses: { table: "readWrite" },
  },
  async ({ params, reader }) => {
    const flag = checkEditableFlag(params.flag);
    const { changed, ignoredChannels } = await changeFlag(reader, params.messages, params.op, flag);
    return {
      messages: changed,
      ...(ignoredChannels && { ignored_because_not_subscribed_channels: ignoredChannels }),
    };
  },
);
