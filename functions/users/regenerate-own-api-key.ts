import { endpoint } from "../../shared/http/endpoint.ts";
import { string } from "../../shared/schema/params.ts";
import { regenerateKey } from "../../shared/users/manage/key-actions.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/api_key/regenerate",
    summary: "Gives the caller a new API key and invalidates the old one.",
    note: "Ends all of the caller's sessions but the one whose key is used.",
    caller: "human",
    params: {},
    returns: { api_key: string() },
    creates: "apiKey",
    uses: { table: "readWrite", secret: true },
  },
  async ({ caller }) => ({ api_key: await regenerateKey(caller.email, caller.id, { keptSession: caller.session }) }),
);
