import { int, text } from "../../shared/base/schema/params.ts";
import { accessChannelNamed } from "../../shared/core/channels/channel-access.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/get_stream_id",
    summary: "Returns the ID of a channel by its name, ignoring case.",
    caller: "user",
    params: { stream: text() },
    returns: { stream_id: int() },
    needs: { realm },
    uses: { table: "read" },
  },
  async ({ caller, params, realm }) => {
    const { channel } = await accessChannelNamed(caller, params.stream, realm);
    return { stream_id: channel.id };
  },
);
