import { int } from "../../shared/base/schema/params.ts";
import { accessExportToDelete } from "../../shared/features/exports/access.ts";
import { deleteExport } from "../../shared/features/exports/actions.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/export/realm/{export_id}",
    summary: "Deletes the archive of a data export.",
    caller: "admin",
    params: { export_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ params }) => ({ change: await deleteExport((await accessExportToDelete(params.export_id)).id) }),
);
