import { accessDefaultChannel } from "../../shared/channels/access.ts";
import { setDefault } from "../../shared/default-streams/default-streams.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/default_streams",
    summary: "Removes a channel from those to which new users are subscribed by default.",
    caller: "admin",
    params: { stream_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => {
    const channel = await accessDefaultChannel(params.stream_id);
    await setDefault(channel, false);
  },
);
