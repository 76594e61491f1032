import { bool } from "../../shared/base/schema/params.ts";
import { markAllAsRead } from "../../shared/messaging/messages/flags/mark-conversations.ts";
import { Reader } from "../../shared/messaging/messages/reader.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/mark_all_as_read",
    summary: "Marks all of the caller's messages as read.",
    note: "Sends an event with `all: true` and an empty list; `complete` is always true.",
    caller: "user",
    params: {},
    returns: { complete: bool() },
    needs: { realm },
    uses: { table: "readWrite" },
  },
  async ({ caller, realm }) => {
    await markAllAsRead(new Reader(caller, realm));
    return { complete: true };
  },
);
