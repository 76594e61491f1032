import { removeSignedOutPhones } from "../../shared/messaging/mobile-push/removal.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { cookieReply } from "../../shared/services/http/raw-reply.ts";
import { endFileSession } from "../../shared/services/identity/file-sessions.ts";
import { endSession } from "../../shared/services/identity/sessions.ts";

/**
 * Only what the browser has cached of this host. "cookies" would also clear the cookies of other hosts of the domain; "storage"
 * would delete the web client that opens without a network, and what other accounts and programs keep in this browser.
 */
const clearedData = { "clear-site-data": '"cache"' };

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/users/me/file_session",
    summary: "Removes the file session cookie and cached files from the caller's browser. For signing out.",
    note: 'Also signs out the device whose key is used; an API key stays valid. Sends `Clear-Site-Data: "cache"`, because `"cookies"` would clear the cookies of other hosts of the domain, and `"storage"` would delete the web client that opens without a network.',
    caller: "user",
    params: {},
    returns: {},
    uses: { table: "readWrite", sends: ["outgoing"], pushBouncer: true },
  },
  async ({ caller, request }) => {
    if (caller.session) {
      await endSession(caller.email, caller.session);
      await removeSignedOutPhones(caller);
    }
    return cookieReply(endFileSession(request.baseUrl.startsWith("https:")), { headers: clearedData });
  },
);
