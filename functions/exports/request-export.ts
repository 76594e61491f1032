import { linkUrl } from "../../shared/base/environment.ts";
import { int, oneOfInts, withDefault } from "../../shared/base/schema/params.ts";
import { requestExport } from "../../shared/features/exports/actions.ts";
import { continueExportJob } from "../../shared/features/exports/jobs.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/export/realm",
    summary: "Starts an export of the organization's public data, or also of what consenting users can read.",
    note: [
      "`export_type` 1 contains public channels. Type 2 also contains the direct messages of users who consent through `allow_private_data_export` (off for new users), and what they may read in private channels to which they are subscribed.",
      "The archive has the format of Zulip's own exports, so Zulip 11 can import it.",
      "At most five exports may be started in a week. An export that has not finished after a day has failed. Messages sent after the request are not included.",
    ],
    caller: "admin",
    params: { export_type: withDefault(oneOfInts([1, 2]), 1) },
    returns: { id: int() },
    creates: "export",
    uses: { table: "readWrite", sends: [continueExportJob.queue] },
  },
  async ({ caller, params, request }) => {
    const { change, id } = await requestExport(caller.id, params.export_type, linkUrl(request.baseUrl));
    return { change, reply: { id } };
  },
);
