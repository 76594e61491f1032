import { setDefault } from "../../shared/channels/default-channels.ts";
import { invalidChannel } from "../../shared/channels/standing.ts";
import { badRequest } from "../../shared/errors.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int } from "../../shared/http/params.ts";
import { findChannel } from "../../shared/store/channels.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/default_streams",
    summary: "Takes a channel from those that new members start with.",
    caller: "admin",
    params: { stream_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => {
    const channel = await findChannel(params.stream_id);
    if (!channel) throw invalidChannel();
    if (!channel.isDefault) throw badRequest(`Couldn't find channel with ID ${channel.id} among the default ones.`);
    await setDefault(channel, false);
  },
);
