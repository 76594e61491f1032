import { accessUpload } from "../../shared/files/access.ts";
import { temporaryToken } from "../../shared/files/links.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { string, text } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/user_uploads/{realm_id}/{path+}",
    summary: "Gives an address at which a file can be read without credentials for a minute.",
    caller: "user",
    params: { realm_id: string({ max: 20 }), path: string({ max: 1000 }) },
    returns: { url: text() },
    uses: { table: "read", secret: true },
  },
  async ({ caller, params }) => {
    const upload = await accessUpload(caller, `${params.realm_id}/${params.path}`, await accessRealm());
    const name = upload.pathId.slice(upload.pathId.lastIndexOf("/") + 1);
    return { url: `/user_uploads/temporary/${await temporaryToken(upload.pathId)}/${name}` };
  },
);
