import { exportObject, toExportWire } from "../../shared/exports/wire.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { trailingItems } from "../../shared/http/reply-size.ts";
import { list } from "../../shared/schema/params.ts";
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
