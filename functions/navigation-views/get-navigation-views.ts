import { endpoint } from "../../shared/http/endpoint.ts";
import { navigationViewObject, navigationViewsState } from "../../shared/navigation-views/navigation-views.ts";
import { list } from "../../shared/schema/params.ts";

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
