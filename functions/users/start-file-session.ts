import { endpoint } from "../../shared/http/endpoint.ts";
import { cookieReply } from "../../shared/http/raw-reply.ts";
import { startFileSession } from "../../shared/identity/file-sessions.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/file_session",
    summary:
      "Gives the caller's browser a cookie by which it fetches files and pictures, and nothing else, for 30 days.",
    caller: "user",
    params: {},
    returns: {},
    uses: { table: "read", secret: true },
  },
  async ({ caller, request }) =>
    cookieReply(await startFileSession(caller.email, request.baseUrl.startsWith("https:"))),
);
