import { endpoint } from "../../shared/http/endpoint.ts";
import { number } from "../../shared/http/params.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { presenceState } from "../../shared/presence/state.ts";
import { presencesObject } from "../../shared/presence/wire.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/realm/presence",
    summary: "Returns when everyone was last there.",
    caller: "user",
    params: {},
    returns: { server_timestamp: number(), presences: presencesObject },
    uses: { table: "read" },
  },
  async ({ caller }) => {
    const { server_timestamp, presences } = await presenceState(caller, await accessRealm(), { slim: false });
    return { server_timestamp, presences };
  },
);
