import { mayKnow } from "../../shared/channels/rules.ts";
import { standingsToNamed } from "../../shared/channels/standing.ts";
import { badRequest } from "../../shared/errors.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int, text } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/get_stream_id",
    summary: "Returns the ID of a channel by its name, ignoring case.",
    caller: "user",
    params: { stream: text() },
    returns: { stream_id: int() },
    uses: { table: "read" },
  },
  async ({ caller, params }) => {
    const [standing] = await standingsToNamed(caller, [params.stream.trim()], await accessRealm());
    if (!standing || !mayKnow(standing)) throw badRequest(`Invalid channel name '${params.stream}'`);
    return { stream_id: standing.channel.id };
  },
);
