import { string } from "../../shared/base/schema/params.ts";
import { removeNavigationView } from "../../shared/features/navigation-views/navigation-views.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/navigation_views/{fragment+}",
    summary: "Removes one of the caller's navigation views.",
    caller: "user",
    params: { fragment: string({ max: 255 }) },
    returns: {},
    errors: ["BAD_REQUEST 404"],
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => ({ change: await removeNavigationView(caller.id, params.fragment) }),
);
