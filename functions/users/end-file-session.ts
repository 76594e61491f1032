import { endpoint } from "../../shared/http/endpoint.ts";
import { cookieReply } from "../../shared/http/raw-reply.ts";
import { endFileSession } from "../../shared/identity/file-sessions.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/users/me/file_session",
    summary: "Removes the file session cookie from the caller's browser.",
    caller: "user",
    params: {},
    returns: {},
    uses: { table: "read" },
  },
  async ({ request }) => cookieReply(endFileSession(request.baseUrl.startsWith("https:"))),
);
