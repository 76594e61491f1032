import { badRequest } from "../../shared/errors.ts";
import { accessOwnUpload } from "../../shared/files/access.ts";
import { removeUpload } from "../../shared/files/actions.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int } from "../../shared/http/params.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/attachments/{attachment_id}",
    summary: "Deletes a file that the caller has uploaded; messages that link it keep their text.",
    caller: "user",
    params: { attachment_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    // A message may link the file at the same moment.
    for (let attempt = 0; attempt < 5; attempt++)
      if (await removeUpload(await accessOwnUpload(caller, params.attachment_id))) return;
    throw badRequest("The attachment was changed at the same time; try again.");
  },
);
