import { bool, optional, string } from "../../shared/base/schema/params.ts";
import { addNavigationView, checkViewName } from "../../shared/features/navigation-views/navigation-views.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "POST",
    path: "/navigation_views",
    summary: "Adds a navigation view: a link in the caller's sidebar.",
    note: "A built-in view (inbox, recent, feed, drafts, scheduled, reminders, starred, mentions, reactions) has no name of its own; any other view needs one. Names and fragments are unique.",
    caller: "user",
    params: {
      fragment: string({ max: 255, allowBlank: false }),
      is_pinned: bool(),
      name: optional(string({ max: 100 })),
    },
    returns: {},
    creates: "navigationView",
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const view = { fragment: params.fragment, isPinned: params.is_pinned, name: params.name ?? null };
    checkViewName(view);
    return { change: await addNavigationView(caller.id, view) };
  },
);
