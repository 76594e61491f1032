import { int } from "../../shared/base/schema/params.ts";
import { checkDraftsEnabled, draftParam, editDraft } from "../../shared/features/drafts/drafts.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "PATCH",
    path: "/drafts/{draft_id}",
    summary: "Replaces one of the caller's drafts.",
    caller: "user",
    params: { draft_id: int(), draft: draftParam() },
    returns: {},
    errors: ["BAD_REQUEST 404"],
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    await checkDraftsEnabled(caller);
    return { change: await editDraft(caller, params.draft_id, params.draft) };
  },
);
