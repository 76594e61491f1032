import { badRequest } from "../../shared/errors.ts";
import { changeEndpoint } from "../../shared/http/change-endpoint.ts";
import { int } from "../../shared/schema/params.ts";
import { ownUpload } from "../../shared/uploads/access.ts";
import { removeUpload } from "../../shared/uploads/actions.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/attachments/{attachment_id}",
    summary: "Deletes a file that the caller has uploaded. Messages that link to it keep their text.",
    caller: "user",
    params: { attachment_id: int() },
    returns: {},
    needs: { upload: ownUpload },
    uses: { table: "readWrite" },
  },
  async ({ upload }) => ({ change: await removeUpload(upload) }),
  { exhausted: () => badRequest("The attachment was changed by another request; try again.") },
);
