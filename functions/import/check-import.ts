import { accessImport } from "../../shared/features/import/requests/access.ts";
import { importRuns, proceed } from "../../shared/features/import/requests/actions.ts";
import { checkAllPartsArrived } from "../../shared/features/import/requests/parts.ts";
import { importFields, toImportWire } from "../../shared/features/import/requests/wire.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/realm/import/check",
    summary: "Has an uploaded archive checked: all that the import would do, but without writing anything.",
    note: "The check takes minutes. Its result is in `GET /realm/import/{token}`: the state `checked` with a `report` of what is imported and what is not, and the `name` that the organization gets, or the state `failed` with the `problem`.",
    caller: "owner",
    params: {},
    returns: importFields,
    uses: { table: "readWrite", files: "read", starts: [importRuns] },
  },
  async () => {
    const request = await accessImport("uploading");
    await checkAllPartsArrived(request);
    return toImportWire(await proceed(request, "checking"));
  },
);
