import { accessExportToDelete } from "../../shared/exports/access.ts";
import { deleteExport } from "../../shared/exports/actions.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/export/realm/{export_id}",
    summary: "Deletes the archive of a data export.",
    caller: "admin",
    params: { export_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => deleteExport((await accessExportToDelete(params.export_id)).id),
);
