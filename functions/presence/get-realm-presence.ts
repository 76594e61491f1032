import { storeLongReply } from "../../shared/blobs/store-long-reply.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { realm } from "../../shared/organization/access.ts";
import { presenceState } from "../../shared/presence/state.ts";
import { presencesObject } from "../../shared/presence/wire.ts";
import { number } from "../../shared/schema/params.ts";
import { findPresence } from "../../shared/store/users/presence.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/realm/presence",
    summary: "Returns when each user was last active.",
    caller: "user",
    params: {},
    returns: { server_timestamp: number(), presences: presencesObject },
    needs: { realm },
    storeLongReply,
    uses: { table: "readWrite", files: "readWrite" },
  },
  async ({ caller, realm }) => {
    // The list may be slightly outdated, but includes the caller's own changes.
    const ownPresence = await findPresence(caller.id);
    const { server_timestamp, presences } = await presenceState(caller, realm, { slim: false, ownPresence });
    return { server_timestamp, presences };
  },
);
