import { string } from "../../shared/base/schema/params.ts";
import { accessImportByToken } from "../../shared/features/import/requests/access.ts";
import { giveUp, importRuns } from "../../shared/features/import/requests/actions.ts";
import { importFields, toImportWire } from "../../shared/features/import/requests/wire.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/realm/import/{token}",
    summary: "Gives up an import: deletes its archive and all that has been written, and puts back what was before.",
    note: "Before the import is confirmed, this is done at once. Afterwards it takes as long as what has been written; the state is `failed` when it is done.",
    caller: "anyone",
    params: { token: string({ max: 100 }) },
    returns: importFields,
    errors: ["BAD_REQUEST 404"],
    uses: { table: "readWrite", files: "readWrite", starts: [importRuns] },
  },
  async ({ params }) => toImportWire(await giveUp(await accessImportByToken(params.token))),
);
