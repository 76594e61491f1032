import { accessChannelNamed } from "../../shared/channels/channel-access.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { realm } from "../../shared/organization/access.ts";
import { int, text } from "../../shared/schema/params.ts";

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
