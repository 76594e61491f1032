import { badRequest } from "../../shared/errors.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { optional, string } from "../../shared/http/params.ts";
import { accessOrganization, realmOf } from "../../shared/organization/access.ts";
import { changeOrganization } from "../../shared/organization/actions.ts";
import {
  accessRealmChanges,
  checkMayChange,
  permissionsIn,
  plainSettingsIn,
} from "../../shared/organization/changes.ts";
import { permissionParams, plainParams } from "../../shared/organization/params.ts";

/** How often a change that met another one is looked at again. */
const attempts = 5;

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/realm",
    summary: "Changes the organization's settings, named without `realm_`; for administrators.",
    caller: "admin",
    params: { name: optional(string({ max: 40, blank: false })), ...plainParams, ...permissionParams },
    returns: {},
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const [plain, permissions] = [plainSettingsIn(params), permissionsIn(params)];
    checkMayChange(caller, [...Object.keys(plain), ...Object.keys(permissions)]);
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const organization = await accessOrganization();
      const settings = await accessRealmChanges(realmOf(organization), plain, permissions);
      const name = params.name?.trim() === organization.name ? undefined : params.name?.trim();
      if (name === undefined && Object.keys(settings).length === 0) return;
      if (await changeOrganization(organization, { name, settings })) return;
    }
    throw badRequest("The organization was changed at the same time; try again.");
  },
);
