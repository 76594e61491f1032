import { advertisedLevel, isDevelopmentServer, isMailEnabled, pushBouncerUrl } from "../../shared/base/environment.ts";
import { zulipMergeBase, zulipVersion } from "../../shared/base/limits.ts";
import { bool, int, list, mapOf, nullable, strictObject, string } from "../../shared/base/schema/params.ts";
import { renderTextOrSource } from "../../shared/messaging/messages/render/render.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { identityProviders, providerMethods, signInPath } from "../../shared/services/identity/providers.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import { iconData } from "../../shared/services/organization/pictures.ts";

const externalMethod = strictObject({
  name: string(),
  display_name: string(),
  display_icon: nullable(string()),
  login_url: string(),
  signup_url: string(),
});

export const handler = endpoint(
  {
    method: "GET",
    path: "/server_settings",
    summary: "Returns the server's version and login methods. Needs no login.",
    caller: "anyone",
    params: {},
    returns: {
      authentication_methods: mapOf(bool()),
      external_authentication_methods: list(externalMethod),
      zulip_feature_level: int(),
      zulip_version: string(),
      zulip_merge_base: string(),
      push_notifications_enabled: bool(),
      is_incompatible: bool(),
      email_auth_enabled: bool(),
      require_email_format_usernames: bool(),
      realm_uri: string(),
      realm_url: string(),
      realm_name: string(),
      realm_icon: string(),
      realm_description: string(),
      realm_web_public_access_enabled: bool(),
      /** Whether anyone may sign up at `/join`. Zulip does not have this field; Skein's sign-in page needs it. */
      realm_open_to_join: bool(),
    },
    errors: ["NONEXISTENT_SUBDOMAIN"],
    uses: { table: "read", pushBouncer: true, mailFrom: true, identityProviders: "list" },
  },
  async ({ request }) => {
    const realm = await loadRealm();
    const { name, settings } = realm;
    const isPasswordEnabled = settings.password_auth_enabled;
    const disabledMethods = ["ldap", "remoteuser", "github", "azuread", "gitlab", "apple", "google", "saml"];
    const providers = identityProviders();
    return {
      authentication_methods: {
        password: isPasswordEnabled,
        dev: isDevelopmentServer(),
        email: isPasswordEnabled,
        ...Object.fromEntries(disabledMethods.map((method) => [method, false])),
        github: providerMethods().GitHub,
        "openid connect": providerMethods()["OpenID Connect"],
      },
      external_authentication_methods: providers.map((provider) => ({
        name: `${provider.type}:${provider.id}`,
        display_name: provider.name,
        display_icon: provider.icon ?? null,
        login_url: signInPath(provider),
        signup_url: signInPath(provider),
      })),
      zulip_feature_level: advertisedLevel(),
      zulip_version: zulipVersion,
      zulip_merge_base: zulipMergeBase,
      push_notifications_enabled: pushBouncerUrl() !== undefined,
      is_incompatible: false,
      email_auth_enabled: isPasswordEnabled,
      require_email_format_usernames: true,
      realm_uri: request.baseUrl,
      realm_url: request.baseUrl,
      realm_name: name,
      realm_icon: iconData(realm).icon_url,
      realm_description: (await renderTextOrSource(settings.description, realm)).html,
      realm_web_public_access_enabled: settings.enable_spectator_access,
      realm_open_to_join: !settings.invite_required && isMailEnabled(),
    };
  },
);
