import { bool, optional, string } from "../../shared/base/schema/params.ts";
import { editNavigationView } from "../../shared/features/navigation-views/navigation-views.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

/** A fragment such as "narrow/is/starred" may come with its slashes encoded or not. */
export const handler = changeEndpoint(
  {
    method: "PATCH",
    path: "/navigation_views/{fragment+}",
    summary: "Pins, unpins or renames one of the caller's navigation views.",
    caller: "user",
    params: {
      fragment: string({ max: 255 }),
      is_pinned: optional(bool()),
      name: optional(string({ max: 100 })),
    },
    returns: {},
    errors: ["BAD_REQUEST 404"],
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => ({
    change: await editNavigationView(caller.id, params.fragment, {
      ...(params.is_pinned !== undefined && { isPinned: params.is_pinned }),
      ...(params.name !== undefined && { name: params.name }),
    }),
  }),
);
