import { endpoint } from "../../shared/http/endpoint.ts";
import { markAllAsRead } from "../../shared/messages/flags/mark-conversations.ts";
import { Reader } from "../../shared/messages/reader.ts";
import { realm } from "../../shared/organization/access.ts";
import { bool } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/mark_all_as_read",
    summary: "Marks all of the caller's messages as read.",
    note: "Sends an event with `all: true` and an empty list, and is always complete.",
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
