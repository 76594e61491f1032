import { int, optional, text } from "../../shared/base/schema/params.ts";
import { accessChannel } from "../../shared/core/channels/channel-access.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/streams/{stream_id}/email_address",
    summary: "Returns an empty email address, because incoming mail is not supported.",
    caller: "user",
    params: { stream_id: int(), sender_id: optional(int()) },
    returns: { email: text() },
    needs: { realm },
    uses: { table: "read" },
  },
  async ({ caller, params, realm }) => {
    await accessChannel(caller, params.stream_id, realm);
    return { email: "" };
  },
);
