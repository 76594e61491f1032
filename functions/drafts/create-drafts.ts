import { int, list } from "../../shared/base/schema/params.ts";
import { addDrafts, checkDraft, checkDraftsEnabled, draftParam } from "../../shared/features/drafts/drafts.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/drafts",
    summary: "Saves new drafts of the caller.",
    note: "A request may contain at most 40 drafts.",
    caller: "user",
    params: { drafts: list(draftParam(), { max: 40 }) },
    returns: { ids: list(int()) },
    creates: "draft",
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    await checkDraftsEnabled(caller);
    const drafts = await Promise.all(params.drafts.map((draft) => checkDraft(caller, draft)));
    const { ids, change } = await addDrafts(caller.id, drafts);
    return { change, reply: { ids } };
  },
);
