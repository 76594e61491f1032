import { string } from "../../shared/base/schema/params.ts";
import { regenerateKey } from "../../shared/features/users/key-actions.ts";
import { removeSignedOutPhones } from "../../shared/messaging/mobile-push/removal.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { checkIsNoAppPassword } from "../../shared/services/identity/sessions.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/api_key/regenerate",
    summary: "Gives the caller a new API key and invalidates the old one.",
    note: "Signs the caller out of all devices except the one whose key is used. The others get no more notifications. App passwords are revoked too, and cannot do this.",
    caller: "human",
    params: {},
    returns: { api_key: string() },
    creates: "apiKey",
    uses: { table: "readWrite", secret: true, sends: ["outgoing"], pushBouncer: true },
  },
  async ({ caller }) => {
    await checkIsNoAppPassword(caller);
    const api_key = await regenerateKey(caller.email, caller.id, { keptSession: caller.session });
    await removeSignedOutPhones(caller);
    return { api_key };
  },
);
