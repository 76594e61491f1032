import { bool, optional } from "../../shared/base/schema/params.ts";
import { hidePresence } from "../../shared/core/presence/actions.ts";
import { changeStatus } from "../../shared/core/users/status-actions.ts";
import { checkStatus, statusParams } from "../../shared/core/users/status-params.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";

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
