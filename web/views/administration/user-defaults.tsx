import { t } from "../../base/languages/language.ts";
import { call } from "../../session/session.ts";
import { realm } from "../../session/store.ts";
import {
  Appearance,
  DesktopNotifications,
  EmailNotifications,
  PreferencesContext,
  PushNotifications,
  ReadingAndWriting,
} from "../settings/preferences.tsx";

/** The settings with which new people begin. */
export const UserDefaults = () => (
  <PreferencesContext.Provider
    value={{
      values: realm.value?.realm_user_settings_defaults ?? {},
      save: (changes) => call("PATCH /realm/user_settings_defaults", changes),
    }}
  >
    <p class="quiet">
      {t("New people start with these and can change them in their own settings. Existing accounts keep theirs.")}
    </p>
    <section class="form">
      <h2>{t("Notifications on your computer")}</h2>
      <DesktopNotifications />
      <h2>{t("Notifications on your phone")}</h2>
      <PushNotifications />
      <h2>{t("Email notifications")}</h2>
      <EmailNotifications />
      <h2>{t("Appearance")}</h2>
      <Appearance />
      <ReadingAndWriting />
    </section>
  </PreferencesContext.Provider>
);
