import { int, optional, string } from "../../shared/base/schema/params.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { cookieReply } from "../../shared/services/http/raw-reply.ts";
import { isBot } from "../../shared/services/identity/caller.ts";
import { startFileSession } from "../../shared/services/identity/file-sessions.ts";
import { startSession } from "../../shared/services/identity/sessions.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/file_session",
    summary:
      "Sets a cookie that lets the caller's browser fetch files and images, and nothing else, for at most 30 days.",
    note: "If the organization has a `session_age_limit_seconds` and the caller used their API key, this also starts a session: from then on the client must use `session_key` in place of the API key, and forget the API key. `session_ends_at` is the end of the session, in UNIX seconds. A session cannot be extended. An account has at most 20 sessions.",
    caller: "user",
    params: {},
    returns: { session_key: optional(string()), session_ends_at: optional(int()) },
    needs: { realm },
    creates: "session",
    uses: { table: "readWrite", secret: true },
  },
  async ({ caller, request, realm }) => {
    const { session_age_limit_seconds: limit } = realm.settings;
    const isStarting = limit !== null && !caller.session && !isBot(caller);
    const started = isStarting ? await startSession(caller.email, limit) : undefined;
    const endsAt = started?.endsAt ?? caller.session?.endsAt;
    const cookie = await startFileSession(caller.email, request.baseUrl.startsWith("https:"), endsAt);
    return cookieReply(cookie, { fields: { session_key: started?.apiKey, session_ends_at: endsAt } });
  },
);
