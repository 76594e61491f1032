import { exportObject, wireExport } from "../../shared/exports/wire.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { list } from "../../shared/http/params.ts";
import { listExports } from "../../shared/store/exports.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/export/realm",
    summary: "Returns all exports that administrators have asked for.",
    caller: "admin",
    params: {},
    returns: { exports: list(exportObject) },
    uses: { table: "read" },
  },
  async () => ({ exports: (await listExports()).map(wireExport) }),
);
