import { list } from "../../shared/base/schema/params.ts";
import { navigationViewObject, navigationViewsState } from "../../shared/features/navigation-views/navigation-views.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/navigation_views",
    summary: "Lists the caller's navigation views.",
    caller: "user",
    params: {},
    returns: { navigation_views: list(navigationViewObject) },
    uses: { table: "read" },
  },
  async ({ caller }) => navigationViewsState(caller),
);
