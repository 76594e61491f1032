import { string, text } from "../../shared/base/schema/params.ts";
import { accessUpload } from "../../shared/messaging/uploads/access.ts";
import { createTemporaryToken } from "../../shared/messaging/uploads/links.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/user_uploads/{realm_id}/{path+}",
    summary: "Returns a URL that gives access to a file for one minute without credentials.",
    caller: "user",
    params: { realm_id: string({ max: 20 }), path: string({ max: 1000 }) },
    returns: { url: text() },
    needs: { realm },
    errors: ["BAD_REQUEST 404"],
    uses: { table: "read", secret: true },
  },
  async ({ caller, params, realm }) => {
    const upload = await accessUpload(caller, `${params.realm_id}/${params.path}`, realm);
    const name = upload.pathId.slice(upload.pathId.lastIndexOf("/") + 1);
    return { url: `/user_uploads/temporary/${await createTemporaryToken(upload.pathId)}/${name}` };
  },
);
