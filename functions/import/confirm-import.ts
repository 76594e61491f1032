import { accessImport } from "../../shared/features/import/requests/access.ts";
import { importRuns, proceed } from "../../shared/features/import/requests/actions.ts";
import { importFields, toImportWire } from "../../shared/features/import/requests/wire.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/realm/import/confirm",
    summary: "Imports an archive that has been checked: it replaces the organization.",
    note: "From when it begins, within about two minutes, until it ends, every other call fails with `NONEXISTENT_SUBDOMAIN`. Afterwards the owner signs in again, with the address and the password that they had; everybody else chooses a password.",
    caller: "owner",
    params: {},
    returns: importFields,
    uses: { table: "readWrite", starts: [importRuns] },
  },
  async () => toImportWire(await proceed(await accessImport("checked"), "importing")),
);
