import { endpoint } from "../../shared/http/endpoint.ts";
import { removeNavigationView } from "../../shared/navigation-views/navigation-views.ts";
import { string } from "../../shared/schema/params.ts";

export const handler = endpoint(
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
  async ({ caller, params }) => removeNavigationView(caller.id, params.fragment),
);
