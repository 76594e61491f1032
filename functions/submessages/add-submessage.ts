import { onDemand } from "../../shared/base/needs.ts";
import { int, string } from "../../shared/base/schema/params.ts";
import { participationSettings, policyChangeByParticipation } from "../../shared/core/user-topics/automatic.ts";
import { messageToChange } from "../../shared/messaging/messages/access.ts";
import { addSubmessage } from "../../shared/messaging/submessages/submessages.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";
import { noChange, withPart } from "../../shared/store/log/log.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/submessage",
    summary: "Adds a submessage to a message's widget, such as a vote in a poll or a task in a to-do list.",
    note: [
      "In polls and to-do lists, one person can add 100 options or tasks, and all people together 500, each of at most 1,000 characters. The data that one person adds to a message may take 100 KB, and that of all people 2 MB. A vote is 1 or -1, the index of an option or task is at most 1,000, and unknown fields are refused.",
      "On a message without submessages, `msg_type` `widget` creates the widget: only the message's sender can do this, and the content must be a valid poll, to-do list or form. Content of other types may be any JSON. A stored widget that is invalid accepts no further submessages.",
    ],
    caller: "user",
    params: { message_id: int(), msg_type: string({ max: 50 }), content: string() },
    returns: {},
    needs: { realm, message: messageToChange, readSettings: onDemand(participationSettings) },
    creates: "submessage",
    uses: { table: "readWrite" },
  },
  async ({ caller, params, message: { message, channel }, readSettings }) => {
    const submessage = await addSubmessage(caller, message, { type: params.msg_type, content: params.content });
    const policyChange = channel
      ? await policyChangeByParticipation(caller, channel, message.topic ?? "", await readSettings())
      : noChange;
    return { change: withPart(submessage, policyChange) };
  },
);
