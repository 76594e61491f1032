import { linkUrl } from "../../shared/environment.ts";
import { requestExport } from "../../shared/exports/actions.ts";
import { continueExportJob } from "../../shared/exports/jobs.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int, oneOfInts, withDefault } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/export/realm",
    summary: "Starts an export of the organization's public data, or also of what consenting users can read.",
    caller: "admin",
    params: { export_type: withDefault(oneOfInts([1, 2]), 1) },
    returns: { id: int() },
    uses: { table: "readWrite", sends: [continueExportJob.queue] },
  },
  async ({ caller, params, request }) => ({
    id: await requestExport(caller.id, params.export_type, linkUrl(request.baseUrl)),
  }),
);
