import { list, string, text } from "../../shared/base/schema/params.ts";
import {
  accessNamedChannels,
  addDefaultStreamGroup,
  maxGroupDescriptionLength,
} from "../../shared/core/default-streams/groups.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/default_stream_groups/create",
    summary: "Creates a default channel group, which people can choose when they join.",
    caller: "admin",
    params: {
      group_name: text(),
      description: string({ max: maxGroupDescriptionLength }),
      stream_names: list(text()),
    },
    returns: {},
    needs: { realm },
    creates: "defaultChannelGroup",
    uses: { table: "readWrite" },
  },
  async ({ caller, params, realm }) => {
    const channels = await accessNamedChannels(caller, params.stream_names, realm);
    const fields = { name: params.group_name, description: params.description };
    return { change: await addDefaultStreamGroup(fields, channels) };
  },
);
