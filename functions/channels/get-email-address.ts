import { accessChannel } from "../../shared/channels/channel-access.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { int, optional, text } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/streams/{stream_id}/email_address",
    summary: "Returns an empty email address, because incoming mail is not supported.",
    caller: "user",
    params: { stream_id: int(), sender_id: optional(int()) },
    returns: { email: text() },
    prefetch: accessRealm,
    uses: { table: "read" },
  },
  async ({ caller, params }) => {
    await accessChannel(caller, params.stream_id, await accessRealm());
    return { email: "" };
  },
);
