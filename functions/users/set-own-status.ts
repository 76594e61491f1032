import { endpoint } from "../../shared/http/endpoint.ts";
import { loadRealm } from "../../shared/organization/access.ts";
import { hidePresence } from "../../shared/presence/actions.ts";
import { bool, optional } from "../../shared/schema/params.ts";
import { changeStatus } from "../../shared/users/status-actions.ts";
import { checkStatus, statusParams } from "../../shared/users/status-params.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/users/me/status",
    summary: "Changes the caller's status; an empty text or emoji name clears that part.",
    caller: "human",
    params: { ...statusParams, away: optional(bool()) },
    returns: {},
    creates: "status",
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    await changeStatus(caller.id, await checkStatus(params));
    if (params.away) await hidePresence(caller.id, await loadRealm());
  },
);
