import { int, oneOf, optional, string } from "../../shared/base/schema/params.ts";
import { readableMessage } from "../../shared/messaging/messages/access.ts";
import { checkReport, reportMessage, reportTypes } from "../../shared/messaging/messages/send/report.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/messages/{message_id}/report",
    summary: "Reports a message to the organization's moderators in the moderation request channel.",
    caller: "user",
    params: { message_id: int(), report_type: oneOf(reportTypes), description: optional(string({ max: 1000 })) },
    returns: {},
    needs: { realm, message: readableMessage },
    creates: "message",
    uses: { table: "readWrite" },
  },
  async ({ caller, params, realm, message: { message, channel } }) => {
    const report = checkReport(params.report_type, params.description);
    await reportMessage(caller, message, channel, report, realm);
  },
);
