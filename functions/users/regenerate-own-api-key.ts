import { string } from "../../shared/base/schema/params.ts";
import { regenerateKey } from "../../shared/features/users/key-actions.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/api_key/regenerate",
    summary: "Gives the caller a new API key and invalidates the old one.",
    note: "Ends all of the caller's sessions except the one whose key is used.",
    caller: "human",
    params: {},
    returns: { api_key: string() },
    creates: "apiKey",
    uses: { table: "readWrite", secret: true },
  },
  async ({ caller }) => ({ api_key: await regenerateKey(caller.email, caller.id, { keptSession: caller.session }) }),
);
