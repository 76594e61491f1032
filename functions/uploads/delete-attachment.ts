import { badRequest } from "../../shared/base/errors.ts";
import { int } from "../../shared/base/schema/params.ts";
import { ownUpload } from "../../shared/messaging/uploads/access.ts";
import { removeUpload } from "../../shared/messaging/uploads/actions.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

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
