import { int } from "../../shared/base/schema/params.ts";
import { accessDefaultCandidate } from "../../shared/core/channels/access.ts";
import { setDefault } from "../../shared/core/default-streams/default-streams.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/default_streams",
    summary: "Adds a channel to the default channels, to which new users are subscribed.",
    caller: "admin",
    params: { stream_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => ({ change: await setDefault(await accessDefaultCandidate(params.stream_id), true) }),
);
