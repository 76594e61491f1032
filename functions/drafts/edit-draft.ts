import { checkDraftsEnabled, draftParam, editDraft } from "../../shared/drafts/drafts.ts";
import { changeEndpoint } from "../../shared/http/change-endpoint.ts";
import { int } from "../../shared/schema/params.ts";

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
