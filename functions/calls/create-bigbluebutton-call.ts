import { bool, optional, text } from "../../shared/base/schema/params.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { refuseCall } from "../../shared/services/organization/unsupported.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/calls/bigbluebutton/create",
    summary: "Always fails: BigBlueButton is not supported. Clients create Jitsi Meet links themselves.",
    caller: "user",
    params: { meeting_name: optional(text()), voice_only: optional(bool()) },
    returns: { url: text() },
    uses: { table: "read" },
  },
  async () => refuseCall(),
);
