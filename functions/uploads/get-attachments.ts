import { int, list } from "../../shared/base/schema/params.ts";
import { attachmentsState } from "../../shared/messaging/uploads/state.ts";
import { attachmentObject } from "../../shared/messaging/uploads/wire.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/attachments",
    summary: "Lists the files that the caller has uploaded, with the messages that link to them.",
    caller: "user",
    params: {},
    returns: { attachments: list(attachmentObject), upload_space_used: int() },
    uses: { table: "read" },
  },
  async ({ caller }) => attachmentsState(caller),
);
