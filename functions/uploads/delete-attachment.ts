import { badRequest } from "../../shared/errors.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int } from "../../shared/schema/params.ts";
import { retryOnConflict } from "../../shared/store/table/conflicts.ts";
import { accessOwnUpload } from "../../shared/uploads/access.ts";
import { removeUpload } from "../../shared/uploads/actions.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/attachments/{attachment_id}",
    summary: "Deletes a file that the caller has uploaded. Messages that link to it keep their text.",
    caller: "user",
    params: { attachment_id: int() },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    // Retries on a conflict, because a message may link to the file concurrently.
    await retryOnConflict(async () => removeUpload(await accessOwnUpload(caller, params.attachment_id)), {
      exhausted: () => badRequest("The attachment was changed by another request; try again."),
    });
  },
);
