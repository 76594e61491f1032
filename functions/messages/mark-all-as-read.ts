import { endpoint } from "../../shared/http/endpoint.ts";
import { bool } from "../../shared/http/params.ts";
import { markAllAsRead } from "../../shared/messages/mark-conversations.ts";
import { Reader } from "../../shared/messages/reader.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { wakeForReader } from "../../shared/push/wake.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/mark_all_as_read",
    summary: "Marks all of the caller's messages as read.",
    caller: "user",
    params: {},
    returns: { complete: bool() },
    uses: { table: "readWrite", sends: ["push-wakes"], pushBouncer: true },
  },
  async ({ caller }) => {
    const realm = await accessRealm();
    await markAllAsRead(new Reader(caller, realm));
    await wakeForReader(realm, caller.id);
    return { complete: true };
  },
);
