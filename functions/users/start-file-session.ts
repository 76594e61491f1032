import { endpoint } from "../../shared/http/endpoint.ts";
import { cookieReply } from "../../shared/http/raw-reply.ts";
import { startFileSession } from "../../shared/identity/file-sessions.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/file_session",
    summary: "Sets a cookie with which the caller's browser can fetch files and images, and nothing else, for 30 days.",
    caller: "user",
    params: {},
    returns: {},
    uses: { table: "read", secret: true },
  },
  async ({ caller, request }) =>
    cookieReply(await startFileSession(caller.email, request.baseUrl.startsWith("https:"))),
);
