import { useComputed } from "@preact/signals";
import { useState } from "preact/hooks";
import { chooseLanguage, chosenLanguage, languageOf, t } from "../../base/languages/language.ts";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { LineToCopy } from "../../parts/copy.tsx";
import { List } from "../../parts/fields/filtered-list.tsx";
import { Form, SelectField, TextField, unlessChanged } from "../../parts/fields/form.tsx";
import { PictureChoice } from "../../parts/fields/picture-choice.tsx";
import { Avatar } from "../../parts/parts.tsx";
import { call, credentials } from "../../session/session.ts";
import { currentState, ownUser, state } from "../../session/store.ts";
import { toast, tryTo } from "../../session/toasts.ts";
import { Integrations } from "../integrations/integrations.tsx";
import { permission, updatePushState } from "../notifications/push.ts";
import { PushSwitch } from "../notifications/push-switch.tsx";
import { type BotType, botTypeNames, botTypes } from "../people/bot-types.ts";
import { OwnProfileFields } from "../people/profile-values.tsx";
import { StatusForm } from "../people/status.tsx";
import { Access } from "./access.tsx";
import {
  AccountLanguage,
  Appearance,
  DesktopNotifications,
  EmailNotifications,
  ExportConsent,
  languageOptions,
  PushNotifications,
  ReadingAndWriting,
} from "./preferences.tsx";
import { SecondFactor } from "./second-factor.tsx";

/** The sections of the user's own settings. */

export function Profile() {
  const user = ownUser.value;
  const [name, setName] = useState(user?.full_name ?? "");
  if (!user) return null;
  const setAvatar = (file: File) => tryTo(() => call("POST /users/me/avatar", {}, { file }));
  return (
    <>
      <section class="form">
        <h2>{t("Picture")}</h2>
        <PictureChoice isRemovable onChoose={(file) => void setAvatar(file)} onRemove={() => void removePicture()}>
          <Avatar user={user} size={96} />
        </PictureChoice>
      </section>
      <Form
        heading={t("Name")}
        submit={t("Save")}
        disabled={name.trim() === user.full_name}
        save={() => call("PATCH /settings", { full_name: name.trim() })}
      >
        <TextField label={t("Full name")} required max={100} value={name} onChange={setName} />
      </Form>
      <StatusForm />
      <OwnProfileFields />
    </>
  );
}

const removePicture = () =>
  confirmAndTry(
    {
      title: t("Remove your picture?"),
      text: t("Everyone will see your initials instead. To restore the picture, upload it again."),
      label: t("Remove"),
    },
    () => call("DELETE /users/me/avatar"),
  );

export function Notifications() {
  const allowed = permission.value;
  return (
    <section class="form">
      <h2>{t("On this computer")}</h2>
      {allowed !== "granted" && (
        <p>
          {t("This browser does not show notifications from this page yet.")}{" "}
          <button
            type="button"
            disabled={allowed === "denied"}
            onClick={() => void Notification.requestPermission().then(updatePushState)}
          >
            {allowed === "denied" ? t("Blocked by the browser") : t("Allow notifications")}
          </button>
        </p>
      )}
      <DesktopNotifications />
      <h2>{t("On your phone, and while Skein is closed")}</h2>
      <PushSwitch />
      <PushNotifications />
      <h2>{t("By email")}</h2>
      <EmailNotifications />
    </section>
  );
}

/** The choice applies to this browser; without one, the account or the browser decides. */
const LanguageChoice = () => (
  <SelectField
    label={t("Language in this browser")}
    value={chosenLanguage.value ?? ""}
    options={[{ value: "", label: t("Automatic") }, ...languageOptions]}
    onChange={(chosen) => chooseLanguage(languageOf(chosen))}
  />
);

export const AppearanceAndWriting = () => (
  <section class="form">
    <h2>{t("Appearance")}</h2>
    <AccountLanguage />
    <LanguageChoice />
    <Appearance />
    <ReadingAndWriting />
    <ExportConsent />
  </section>
);

export function Account() {
  const [oldPassword, setOldPassword] = useState("");
  const [newPassword, setNewPassword] = useState("");
  const ownCredentials = credentials();
  return (
    <>
      <Form
        heading={t("Password")}
        submit={t("Change password")}
        save={async () => {
          await call("PATCH /settings", { old_password: oldPassword, new_password: newPassword });
          setOldPassword("");
          setNewPassword("");
          toast(t("Your password was changed."));
        }}
      >
        {/* Tells password managers which account the password belongs to. */}
        <input
          type="email"
          class="unseen"
          autocomplete="username"
          value={ownCredentials?.email}
          readOnly
          tabIndex={-1}
          aria-label={t("Email")}
        />
        <TextField
          label={t("Current password")}
          type="password"
          required
          autocomplete="current-password"
          value={oldPassword}
          onChange={setOldPassword}
        />
        <TextField
          label={t("New password")}
          type="password"
          required
          autocomplete="new-password"
          minLength={Number(currentState().realm.password_min_length ?? 6)}
          value={newPassword}
          onChange={setNewPassword}
        />
      </Form>
      <SecondFactor />
      <Access />
    </>
  );
}

export function Bots() {
  const [name, setName] = useState("");
  const [shortName, setShortName] = useState("");
  const [type, setType] = useState<BotType>(botTypes.generic);
  const [url, setUrl] = useState("");
  /** API keys that were created since the page was opened, by bot. */
  const [newKeys, setNewKeys] = useState<Record<number, string>>({});
  const bots = useComputed(() =>
    [...(state.value?.users.values() ?? [])].filter(
      (user) => user.is_bot && user.is_active && user.bot_owner_id === state.value?.userId,
    ),
  ).value;
  return (
    <>
      <section>
        <h2>{t("Your bots")}</h2>
        <List
          class="cards"
          label={t("Your bots")}
          items={bots}
          empty={t("You have no bots. A bot is an account for a program that writes messages.")}
          row={(bot) => (
            <li key={bot.user_id}>
              <header>
                <Avatar user={bot} size={32} />
                <strong class="grow">{bot.full_name}</strong>
                <span class="quiet small">{bot.email}</span>
              </header>
              {newKeys[bot.user_id] && <LineToCopy label={t("API key")} line={newKeys[bot.user_id] ?? ""} />}
              <div class="dialog-actions">
                <button
                  type="button"
                  onClick={() =>
                    void confirmAndTry(
                      {
                        title: t("Create a new API key for {name}?", { name: bot.full_name }),
                        text: t("The current key stops working at once, in all programs that use it."),
                        label: t("Create a new key"),
                      },
                      async () => {
                        const { api_key } = await call("POST /bots/{bot_id}/api_key/regenerate", {
                          bot_id: bot.user_id,
                        });
                        setNewKeys({ ...newKeys, [bot.user_id]: api_key });
                      },
                    )
                  }
                >
                  {t("New API key")}
                </button>
                <button
                  type="button"
                  class="danger"
                  onClick={() =>
                    void confirmAndTry(
                      {
                        title: t("Deactivate {name}?", { name: bot.full_name }),
                        text: t(
                          "It can no longer send or receive anything. Its messages stay. Only an administrator can reactivate it.",
                        ),
                        label: t("Deactivate"),
                      },
                      () => call("DELETE /bots/{bot_id}", { bot_id: bot.user_id }),
                    )
                  }
                >
                  {t("Deactivate")}
                </button>
              </div>
            </li>
          )}
        />
      </section>
      <Form
        heading={t("New bot")}
        submit={t("Create")}
        save={async () => {
          const reply = await call("POST /bots", {
            full_name: name.trim(),
            short_name: shortName.trim(),
            bot_type: type,
            ...(type === botTypes.outgoingWebhook && { payload_url: url.trim(), interface_type: 1 }),
          });
          setNewKeys({ ...newKeys, [reply.user_id]: reply.api_key });
          setName(unlessChanged(name, ""));
          setShortName(unlessChanged(shortName, ""));
          setUrl(unlessChanged(url, ""));
        }}
      >
        <TextField label={t("Name")} required max={100} value={name} onChange={setName} />
        <TextField
          label={t("Short name (for its email address)")}
          required
          pattern="[A-Za-z0-9_.\-]+"
          value={shortName}
          onChange={setShortName}
        />
        <label>
          {t("Kind")}
          <select value={type} onChange={(event) => setType(Number(event.currentTarget.value) as BotType)}>
            {Object.entries(botTypeNames()).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        {type === botTypes.outgoingWebhook && (
          <TextField label={t("Endpoint URL")} type="url" required value={url} onChange={setUrl} />
        )}
      </Form>
      <Integrations />
    </>
  );
}
