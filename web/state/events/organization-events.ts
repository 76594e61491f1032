import type { Realm, Snapshot, State } from "../model.ts";
import { list, mapOf } from "../readers.ts";
import { emojiOf, profileFieldOf } from "../records.ts";
import type { Handlers } from "./handler.ts";

/** Events about the organization. */

type RealmFields = { [K in keyof Realm as K extends `realm_${infer Name}` ? Name : never]?: Realm[K] | undefined };

const updateRealm = (state: State, data: RealmFields): State => ({
  ...state,
  realm: {
    ...state.realm,
    ...Object.fromEntries(Object.entries(data).map(([name, value]) => [`realm_${name}`, value])),
  },
});

export const organizationHandlers: Handlers = {
  realm: (state, event) => (event.op === "update_dict" ? updateRealm(state, event.data) : state),
  realm_emoji: (state, event) => ({ ...state, realmEmoji: mapOf(emojiOf)(event.realm_emoji) }),
  realm_domains: (state, event) => {
    const domains = state.realm.realm_domains ?? [];
    const name = event.op === "remove" ? event.domain : event.realm_domain.domain;
    const others = domains.filter(({ domain }) => domain !== name);
    return updateRealm(state, { domains: event.op === "remove" ? others : [...others, event.realm_domain] });
  },
  custom_profile_fields: (state, event) => ({ ...state, profileFields: list(profileFieldOf)(event.fields) }),
  realm_linkifiers: (state, event) => updateRealm(state, { linkifiers: event.realm_linkifiers }),
  default_streams: (state, event) => updateRealm(state, { default_streams: event.default_streams }),
  realm_user_settings_defaults: (state, { property, value }) =>
    updateRealm(state, {
      user_settings_defaults: {
        ...state.realm.realm_user_settings_defaults,
        [property]: value,
      } as Snapshot["realm_user_settings_defaults"],
    }),
  restart: (state) => ({ ...state, restarts: state.restarts + 1 }),
};
