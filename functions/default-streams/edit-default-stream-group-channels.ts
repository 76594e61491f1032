import { int, list, oneOf, text } from "../../shared/base/schema/params.ts";
import { accessNamedChannels, addChannelsTo, removeChannelsFrom } from "../../shared/core/default-streams/groups.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = changeEndpoint(
  {
    method: "PATCH",
    path: "/default_stream_groups/{group_id}/streams",
    summary: "Adds channels to a default channel group, or removes them from it.",
    caller: "admin",
    params: { group_id: int(), op: oneOf(["add", "remove"]), stream_names: list(text()) },
    returns: {},
    needs: { realm },
    uses: { table: "readWrite" },
  },
  async ({ caller, params, realm }) => {
    const channels = await accessNamedChannels(caller, params.stream_names, realm);
    const edit = params.op === "add" ? addChannelsTo : removeChannelsFrom;
    return { change: await edit(params.group_id, channels) };
  },
);
