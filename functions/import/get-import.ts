import { string } from "../../shared/base/schema/params.ts";
import { accessImportByToken } from "../../shared/features/import/requests/access.ts";
import { importRuns, restartIfLeft } from "../../shared/features/import/requests/actions.ts";
import { importFields, toImportWire } from "../../shared/features/import/requests/wire.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/realm/import/{token}",
    summary: "Returns how far an import has come.",
    note: "Works without credentials, as nobody has an account while the organization is replaced. `done` of `total` is the progress of the check or of the import. `GET /imports/{token}`, below the server's address, shows the same as a page.",
    caller: "anyone",
    params: { token: string({ max: 100 }) },
    returns: importFields,
    errors: ["BAD_REQUEST 404"],
    uses: { table: "readWrite", starts: [importRuns] },
  },
  async ({ params }) => {
    const request = await accessImportByToken(params.token);
    await restartIfLeft(request);
    return toImportWire(request);
  },
);
