import { int, optional, string, text } from "../../shared/base/schema/params.ts";
import { requestImport } from "../../shared/features/import/requests/actions.ts";
import { partBytes, partCount } from "../../shared/features/import/requests/parts.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/realm/import",
    summary: "Begins an import: makes room for the archive of another chat, which replaces the organization.",
    note: [
      "Only an organization that nobody has used yet can be replaced: one that has its owner and what it was created with. The archive is a `.zip` or `.tar.gz` of at most 1,024 MB.",
      "Discord's exports have no addresses: for one of these, `owner_name` is the caller's name or ID there.",
      "Upload `parts` parts of `part_size` bytes each, the last of which may be shorter, by `POST /realm/import/parts`; then call `POST /realm/import/check`. An import that is not continued for a day is deleted.",
      "Whoever has the `token` can follow the import and give it up, also while nobody has an account. It is told only once. An import that is neither being checked nor being imported is replaced by another.",
    ],
    caller: "owner",
    params: {
      filename: string({ max: 1000, allowBlank: false }),
      size: int({ min: 1 }),
      owner_name: optional(string({ max: 100 })),
    },
    returns: { token: text(), part_size: int(), parts: int() },
    errors: ["BAD_REQUEST 413"],
    creates: "archiveImport",
    uses: { table: "readWrite", readsWholeTable: true, files: "readWrite" },
  },
  async ({ caller, params }) => ({
    ...(await requestImport(caller.id, {
      ...{ fileName: params.filename, size: params.size },
      ...(params.owner_name !== undefined && { ownerName: params.owner_name.trim() }),
    })),
    ...{ part_size: partBytes, parts: partCount(params) },
  }),
);
