import { endpoint } from "../../shared/http/endpoint.ts";
import { list } from "../../shared/http/params.ts";
import { navigationViewsState } from "../../shared/navigation/state.ts";
import { navigationViewObject } from "../../shared/navigation/wire.ts";

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
