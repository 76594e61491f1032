import { list } from "../../shared/base/schema/params.ts";
import { exportObject, toExportWire } from "../../shared/features/exports/wire.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { trailingItems } from "../../shared/services/http/reply-size.ts";
import { listExports } from "../../shared/store/organization/exports.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/export/realm",
    summary: "Lists the organization's data exports.",
    caller: "admin",
    params: {},
    returns: { exports: list(exportObject) },
    uses: { table: "read" },
  },
  async () => ({ exports: trailingItems((await listExports()).map(toExportWire)) }),
);
