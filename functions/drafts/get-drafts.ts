import { int, list } from "../../shared/base/schema/params.ts";
import { draftObject, newestDrafts } from "../../shared/features/drafts/drafts.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/drafts",
    summary: "Lists the caller's drafts, the most recently edited first.",
    caller: "user",
    params: {},
    returns: { count: int(), drafts: list(draftObject) },
    uses: { table: "read" },
  },
  async ({ caller }) => {
    const drafts = await newestDrafts(caller);
    return { count: drafts.length, drafts };
  },
);
