import { endpoint } from "../../shared/http/endpoint.ts";
import { string } from "../../shared/http/params.ts";
import { removeNavigationView } from "../../shared/navigation/actions.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/navigation_views/{fragment+}",
    summary: "Removes one of the caller's navigation views.",
    caller: "user",
    params: { fragment: string({ max: 255 }) },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => removeNavigationView(caller.id, params.fragment),
);
