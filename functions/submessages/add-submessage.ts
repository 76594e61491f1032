import { endpoint } from "../../shared/http/endpoint.ts";
import { accessMessageToChange, prefetchMessage } from "../../shared/messages/access.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { int, string } from "../../shared/schema/params.ts";
import { addSubmessage } from "../../shared/submessages/submessages.ts";
import { setPolicyAfterParticipation } from "../../shared/user-topics/automatic.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/submessage",
    summary: "Adds a submessage to a message's widget, such as a vote in a poll or a task in a to-do list.",
    caller: "user",
    params: { message_id: int(), msg_type: string({ max: 50 }), content: string() },
    returns: {},
    prefetch: prefetchMessage,
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const { message, channel } = await accessMessageToChange(caller, params.message_id, await accessRealm());
    await addSubmessage(caller, message, { type: params.msg_type, content: params.content });
    if (channel) await setPolicyAfterParticipation(caller, channel, message.topic ?? "");
  },
);
