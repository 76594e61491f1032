import { badRequest } from "../../shared/base/errors.ts";
import { onDemand } from "../../shared/base/needs.ts";
import { bool, mapOf, optional, string, withNote } from "../../shared/base/schema/params.ts";
import { changeOrganization } from "../../shared/core/organization/actions.ts";
import {
  checkMayChange,
  checkRealmChanges,
  permissionsIn,
  plainSettingsIn,
  withAuthentication,
} from "../../shared/core/organization/changes.ts";
import { permissionParams, plainParams } from "../../shared/core/organization/params.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { organizationToChange, realmOf } from "../../shared/services/organization/access.ts";
import { checkSupported, unsupportedRealmSettings } from "../../shared/services/organization/unsupported.ts";

export const handler = changeEndpoint(
  {
    method: "PATCH",
    path: "/realm",
    summary: "Changes the organization's settings. Parameters have no `realm_` prefix. For administrators.",
    note: 'Only owners can change `message_retention_days`, `invite_required`, `password_auth_enabled`, `session_age_limit_seconds` and `session_idle_limit_seconds` (from an hour to a year), `second_factor_required_from` (a time in UNIX seconds), `create_multiuse_invite_group` and `can_manage_all_groups`. A limit is a positive number or `"unlimited"`. All changes are sent as one `realm/update_dict` event. `mandatory_topics` and `wildcard_mention_policy` are derived from newer settings and cannot be changed. `authentication_methods` turns `Email` on and off (like `password_auth_enabled`); `OpenID Connect` and `GitHub` are set by the operator, and other methods are refused. Passwords cannot be turned off unless the operator has configured an identity provider.',
    caller: "admin",
    params: {
      name: optional(string({ max: 40, allowBlank: false })),
      authentication_methods: optional(
        withNote(
          mapOf(bool()),
          "Only `Email` can be turned on and off; it is another name for `password_auth_enabled`. `OpenID Connect` and `GitHub` are set by the operator.",
        ),
      ),
      ...plainParams,
      ...permissionParams,
    },
    returns: {},
    needs: { accessOrganization: onDemand(organizationToChange) },
    errors: ["EXPECTATION_MISMATCH", "REQUEST_VARIABLE_INVALID", "SYSTEM_GROUP_REQUIRED"],
    creates: ["permissionMember", "permissionGroup"],
    uses: { table: "readWrite", identityProviders: "list" },
  },
  async ({ caller, params, accessOrganization }) => {
    const [plain, permissions] = [plainSettingsIn(withAuthentication(params)), permissionsIn(params)];
    checkMayChange(caller, [...Object.keys(plain), ...Object.keys(permissions)]);
    checkSupported(params, unsupportedRealmSettings);
    const organization = await accessOrganization();
    const settings = await checkRealmChanges(caller, realmOf(organization), plain, permissions);
    const name = params.name?.trim() === organization.name ? undefined : params.name?.trim();
    const isChanged = name !== undefined || Object.keys(settings).length > 0;
    return isChanged ? { change: changeOrganization(organization, { name, settings }) } : {};
  },
  { exhausted: () => badRequest("The organization was changed by another request; try again.") },
);
