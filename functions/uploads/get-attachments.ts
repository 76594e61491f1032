import { endpoint } from "../../shared/http/endpoint.ts";
import { int, list } from "../../shared/schema/params.ts";
import { attachmentsState } from "../../shared/uploads/state.ts";
import { attachmentObject } from "../../shared/uploads/wire.ts";

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
