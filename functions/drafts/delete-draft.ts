import { int } from "../../shared/base/schema/params.ts";
import { checkDraftsEnabled, removeDraft } from "../../shared/features/drafts/drafts.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/drafts/{draft_id}",
    summary: "Deletes one of the caller's drafts.",
    caller: "user",
    params: { draft_id: int() },
    returns: {},
    errors: ["BAD_REQUEST 404"],
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    await checkDraftsEnabled(caller);
    return { change: removeDraft(caller.id, params.draft_id) };
  },
);
