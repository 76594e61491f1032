import { int, optional, string } from "../../shared/base/schema/params.ts";
import { programOfRequest, sessionLimitsOf, startSessionFor } from "../../shared/features/users/devices.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { cookieReply } from "../../shared/services/http/raw-reply.ts";
import { isBot } from "../../shared/services/identity/caller.ts";
import { startFileSession } from "../../shared/services/identity/file-sessions.ts";
import { checkIsNoAppPassword, limitSession, limitsFromNow } from "../../shared/services/identity/sessions.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/file_session",
    summary:
      "Sets a cookie that lets the caller's browser fetch files and images, and nothing else, for at most 30 days.",
    note: "If a person used their API key, this also starts a session, as a sign-in does (`GET /users/me/devices`): from then on the client must use `session_key` in place of the API key, and forget the API key. `session_ends_at` is the end of the session, in UNIX seconds, if the organization has a `session_age_limit_seconds`; a session that began before the organization set this limit ends that many seconds after this request. A session cannot be extended. App passwords are refused. With a `session_idle_limit_seconds`, it also ends when it has not been used for that long; for a session that began before the organization set this limit, the time counts from this request on.",
    caller: "user",
    params: {},
    returns: { session_key: optional(string()), session_ends_at: optional(int()) },
    needs: { realm },
    creates: "session",
    uses: { table: "readWrite", secret: true },
  },
  async ({ caller, request, realm }) => {
    // Its session would get the limits of a device.
    await checkIsNoAppPassword(caller, "Sign in with your password. App passwords are for other programs.");
    const person = { email: caller.email, userId: caller.id, keyHash: caller.keyHash ?? "" };
    // A web client, by whatever name: each has a key of its own.
    const program = { ...programOfRequest(request), isPersonal: true };
    const isStarting = !caller.session && !isBot(caller);
    const started = isStarting
      ? await startSessionFor(person, program, request, realm)
      : { apiKey: undefined, session: caller.session };
    const session =
      started.session &&
      (await limitSession(caller.email, started.session, limitsFromNow(sessionLimitsOf(realm.settings))));
    const { keyHash = caller.keyHash ?? "", endsAt = Number.POSITIVE_INFINITY } = session ?? {};
    const cookie = await startFileSession(caller.email, keyHash, request.baseUrl.startsWith("https:"), endsAt);
    const fields = { session_key: started.apiKey, session_ends_at: Number.isFinite(endsAt) ? endsAt : undefined };
    return cookieReply(cookie, { fields });
  },
);
