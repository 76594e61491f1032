import { useComputed } from "@preact/signals";
import { useState } from "preact/hooks";
import { compareTexts, t } from "../../base/languages/language.ts";
import { fullTime } from "../../base/lib/time.ts";
import { useChosen } from "../../parts/fields/chosen.ts";
import { ComboboxField } from "../../parts/fields/combobox.tsx";
import { CheckBox, Form, SelectField, TextField, unlessChanged } from "../../parts/fields/form.tsx";
import { useTyped } from "../../parts/fields/typed.ts";
import { channelName } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { realm, state } from "../../session/store.ts";
import { toast, toastWithUndo, tryTo } from "../../session/toasts.ts";
import { isOwner } from "../../state/permissions.ts";
import { languageOptions } from "../settings/preferences.tsx";
import {
  changeOrganization,
  ownerSettings,
  type SettingName,
  type SettingNameOf,
  saveOrganization,
  settingOf,
} from "./change.ts";
import { OrganizationPictures } from "./pictures.tsx";

/** The organization's name, who may join, and message settings. */
export function OrganizationSettings() {
  return (
    <>
      <TextForm
        heading={t("About the organization")}
        fields={[
          { name: "name", label: t("Name"), max: 40, required: true },
          { name: "description", label: t("Description"), max: 1000, isLong: true },
        ]}
      />
      <OrganizationPictures />
      <section class="form">
        <h2>{t("Joining")}</h2>
        <Switch name="invite_required" label={t("People need an invitation")} />
        <Switch name="disallow_disposable_email_addresses" label={t("Refuse disposable email addresses")} />
        <Switch name="emails_restricted_to_domains" label={t("Only accept email addresses from these domains")} />
      </section>
      <Domains />
      <section class="form">
        <Choice
          name="waiting_period_threshold"
          label={t("New people become full members")}
          options={waitingPeriodOptions()}
        />
      </section>
      <section class="form">
        <h2>{t("Signing in")}</h2>
        <Switch name="password_auth_enabled" label={t("People can sign in with a password")} />
        <Choice
          name="session_age_limit_seconds"
          label={t("How long people stay signed in")}
          options={sessionAgeOptions()}
        />
        <Choice
          name="session_idle_limit_seconds"
          label={t("How long people stay signed in on an unused device")}
          options={sessionIdleOptions()}
        />
        <Choice
          name="second_factor_required_from"
          label={t("People who sign in with a password need a second factor")}
          options={factorOptions()}
        />
      </section>
      <TextForm
        heading={t("Welcome")}
        fields={[
          {
            name: "welcome_message_custom_text",
            label: t("Welcome Bot's message to new people"),
            max: 8000,
            isLong: true,
          },
        ]}
      />
      <section class="form">
        <h2>{t("Accounts")}</h2>
        <Switch name="require_unique_names" label={t("Require unique names")} />
        <Switch name="name_changes_disabled" label={t("People cannot change their names")} />
        <Switch name="email_changes_disabled" label={t("People cannot change their email addresses")} />
        <Switch name="avatar_changes_disabled" label={t("People cannot change their pictures")} />
        <Switch name="presence_disabled" label={t("Nobody sees who is active")} />
      </section>
      <section class="form">
        <h2>{t("Language")}</h2>
        <Choice name="default_language" label={t("Default for new accounts")} options={languageOptions} />
      </section>
      <section class="form">
        <h2>{t("Messages")}</h2>
        <Switch name="allow_message_editing" label={t("People can edit their messages")} />
        <Choice
          name="message_content_edit_limit_seconds"
          label={t("Time limit for editing messages")}
          options={timeLimitOptions()}
        />
        <Choice
          name="message_content_delete_limit_seconds"
          label={t("Time limit for deleting messages")}
          options={timeLimitOptions()}
        />
        <Choice
          name="move_messages_within_stream_limit_seconds"
          label={t("Time limit for moving messages to another topic")}
          options={timeLimitOptions()}
        />
        <Choice
          name="move_messages_between_streams_limit_seconds"
          label={t("Time limit for moving messages to another channel")}
          options={timeLimitOptions()}
        />
        <Choice
          name="message_edit_history_visibility_policy"
          label={t("Message edit history")}
          options={historyOptions()}
        />
        <Choice name="topics_policy" label={t("Messages without a topic")} options={topicsPolicyOptions()} />
        <Choice name="message_retention_days" label={t("Message retention")} options={retentionOptions()} />
        <Switch name="enable_read_receipts" label={t("People see who has read a message")} />
        <Switch name="inline_image_preview" label={t("Show pictures below messages that link to them")} />
        <Switch name="enable_spectator_access" label={t("Anyone can read web-public channels without an account")} />
      </section>
      <section class="form">
        <h2>{t("Video calls")}</h2>
        <Choice name="video_chat_provider" label={t("Video call provider")} options={callOptions()} />
      </section>
      <TextForm
        fields={[
          {
            name: "jitsi_server_url",
            label: t("Address of the Jitsi Meet server"),
            max: 200,
            placeholder: String(realm.value?.server_jitsi_server_url),
            emptyValue: "default",
          },
        ]}
      />
      <section class="form">
        <h2>{t("Notifications")}</h2>
        <Switch
          name="message_content_allowed_in_email_notifications"
          label={t("Emails about missed messages include the message text")}
        />
        <Switch
          name="require_e2ee_push_notifications"
          label={t("Push notifications include the message text only if end-to-end encrypted")}
        />
        <ChannelChoice name="new_stream_announcements_stream_id" label={t("Announce new channels in")} />
        <ChannelChoice name="signup_announcements_stream_id" label={t("Announce new people in")} />
        <ChannelChoice name="moderation_request_channel_id" label={t("Send reported messages to")} />
      </section>
    </>
  );
}

/** Values in days. */
const waitingPeriodOptions = () => [
  { value: 0, label: t("Immediately") },
  { value: 3, label: t("After 3 days") },
  { value: 7, label: t("After 7 days") },
  { value: 30, label: t("After 30 days") },
];
const hourSeconds = 3600;
/** Values in seconds. */
const timeLimitOptions = () => [
  { value: null, label: t("Always") },
  { value: 60, label: t("A minute") },
  { value: 600, label: t("10 minutes") },
  { value: hourSeconds, label: t("An hour") },
  { value: 24 * hourSeconds, label: t("A day") },
  { value: 7 * 24 * hourSeconds, label: t("A week") },
  { value: 30 * 24 * hourSeconds, label: t("30 days") },
];
/** Values in seconds. */
const sessionAgeOptions = () => [
  { value: null, label: t("Until they sign out") },
  { value: 12 * hourSeconds, label: t("12 hours") },
  { value: 24 * hourSeconds, label: t("A day") },
  { value: 7 * 24 * hourSeconds, label: t("A week") },
  { value: 30 * 24 * hourSeconds, label: t("30 days") },
];
/** Values in seconds. */
const sessionIdleOptions = () => [
  { value: null, label: t("Until they sign out") },
  { value: hourSeconds, label: t("An hour") },
  { value: 12 * hourSeconds, label: t("12 hours") },
  { value: 24 * hourSeconds, label: t("A day") },
  { value: 7 * 24 * hourSeconds, label: t("A week") },
  { value: 30 * 24 * hourSeconds, label: t("30 days") },
];
/** From now or a later day on; what was chosen before is kept by its date. */
const factorOptions = () => {
  const chosen = settingOf("second_factor_required_from");
  const today = Math.floor(Date.now() / 86_400_000) * 86_400;
  const inDays = (days: number) => today + days * 86_400;
  return [
    { value: null, label: t("Not required") },
    ...(typeof chosen === "number" ? [{ value: chosen, label: t("From {date}", { date: fullTime(chosen) }) }] : []),
    { value: today, label: t("From now on") },
    { value: inDays(7), label: t("In a week") },
    { value: inDays(30), label: t("In 30 days") },
  ].filter(({ value }, index, all) => all.findIndex((other) => other.value === value) === index);
};
const historyOptions = () => [
  { value: "all", label: t("Shows edits and moves") },
  { value: "moves", label: t("Shows only moves") },
  { value: "none", label: t("Is not shown") },
];
const callOptions = () => [
  { value: 0, label: t("None (no button)") },
  { value: 1, label: t("Jitsi Meet") },
];
const topicsPolicyOptions = () => [
  { value: "allow_empty_topic", label: t("Allowed") },
  { value: "disable_empty_topic", label: t("Not allowed") },
];
/** Values in days; -1 is the server's value for messages that are never deleted. */
const retentionOptions = () => [
  { value: -1, label: t("Forever") },
  { value: 30, label: t("30 days") },
  { value: 90, label: t("90 days") },
  { value: 365, label: t("A year") },
  { value: 3 * 365, label: t("Three years") },
];

const isLocked = (name: SettingName) => ownerSettings.has(name) && !(state.value && isOwner(state.value));

/** Says why a setting cannot be changed. */
const Lock = ({ name }: { name: SettingName }) =>
  isLocked(name) ? <span class="quiet small"> {t("(for owners)")}</span> : null;

function Switch({ name, label }: { name: SettingNameOf<boolean>; label: string }) {
  const [isOn, choose] = useChosen(settingOf(name) === true, (value) => changeOrganization(name, value));
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isOn}
        disabled={isLocked(name)}
        onChange={(event) => choose(event.currentTarget.checked)}
      />
      <span>
        {label}
        <Lock name={name} />
      </span>
    </label>
  );
}

function Choice({
  name,
  label,
  options,
}: {
  name: SettingNameOf<string | number>;
  label: string;
  options: readonly { value: string | number | null; label: string }[];
}) {
  const known = settingOf(name);
  const [value, choose] = useChosen<unknown>(known, (chosen) => {
    // The API returns "no limit" as null or -1, but only accepts it as a word.
    const isUnlimited = chosen === null || (name === "message_retention_days" && chosen === -1);
    return tryTo(() => saveOrganization({ [name]: isUnlimited ? "unlimited" : chosen }));
  });
  return (
    <SelectField
      label={
        <>
          {label}
          <Lock name={name} />
        </>
      }
      disabled={isLocked(name)}
      value={value}
      options={options}
      onChange={choose}
    />
  );
}

function ChannelChoice({ name, label }: { name: SettingNameOf<number>; label: string }) {
  const channels = useComputed(() =>
    [...(state.value?.channels.values() ?? [])]
      .filter((channel) => !channel.is_archived)
      .sort((a, b) => compareTexts(a.name, b.name)),
  ).value;
  const [channelId, choose] = useChosen(settingOf(name), (chosen) => tryTo(() => saveOrganization({ [name]: chosen })));
  const noChannel = { value: -1, name: t("No channel") };
  return (
    <ComboboxField
      label={label}
      text={channelId === -1 ? noChannel.name : channelName(Number(channelId))}
      choices={() => [noChannel, ...channels.map(({ stream_id, name }) => ({ value: stream_id, name }))]}
      onChoose={choose}
      onUnknown={(name) => toast(t("There is no channel “{name}”.", { name }))}
    />
  );
}

interface TextSetting {
  name: SettingNameOf<string>;
  label: string;
  max: number;
  /** Whether the field has several lines. */
  isLong?: boolean;
  required?: boolean;
  placeholder?: string;
  /** What the API calls the value of an empty field. */
  emptyValue?: string;
}

/** Text fields that are saved together. */
function TextForm({ heading, fields }: { heading?: string; fields: readonly TextSetting[] }) {
  const saved = Object.fromEntries(fields.map(({ name }) => [name, String(settingOf(name) ?? "")]));
  const { texts, type, changed, saving } = useTyped(saved);
  const emptied = Object.fromEntries(
    fields.flatMap(({ name, emptyValue }) => (emptyValue && changed[name] === "" ? [[name, emptyValue]] : [])),
  );
  return (
    <Form
      {...(heading !== undefined && { heading })}
      submit={t("Save")}
      disabled={Object.keys(changed).length === 0}
      save={() => saving(() => saveOrganization({ ...changed, ...emptied }))}
    >
      {fields.map(({ name, label, max, isLong, required, placeholder }) => (
        <TextField
          key={name}
          label={label}
          required={required}
          placeholder={placeholder ?? ""}
          max={max}
          {...(isLong && { rows: 3 })}
          value={texts[name] ?? ""}
          onChange={(text) => type(name, text)}
        />
      ))}
    </Form>
  );
}

function Domains() {
  const [domain, setDomain] = useState("");
  const [includesSubdomains, setIncludesSubdomains] = useState(false);
  const domains = realm.value?.realm_domains ?? [];
  return (
    <section aria-label={t("Email domains")}>
      <ul class="rows">
        {domains.map(({ domain, allow_subdomains }) => (
          <li key={domain}>
            <span class="grow">
              {domain} {allow_subdomains && <span class="quiet small">{t("and domains below it")}</span>}
            </span>
            <button
              type="button"
              aria-label={t("Remove {domain}", { domain })}
              onClick={() =>
                void tryTo(async () => {
                  await call("DELETE /realm/domains/{domain}", { domain });
                  toastWithUndo(t("{domain} was removed.", { domain }), () =>
                    call("POST /realm/domains", { domain, allow_subdomains }),
                  );
                })
              }
            >
              {t("Remove")}
            </button>
          </li>
        ))}
      </ul>
      <Form
        submit={t("Add domain")}
        disabled={domain.trim() === ""}
        save={async () => {
          await call("POST /realm/domains", { domain: domain.trim(), allow_subdomains: includesSubdomains });
          setDomain(unlessChanged(domain, ""));
          setIncludesSubdomains(unlessChanged(includesSubdomains, false));
        }}
      >
        <TextField label={t("Domain")} required placeholder="example.com" value={domain} onChange={setDomain} />
        <CheckBox label={t("Include subdomains")} checked={includesSubdomains} onChange={setIncludesSubdomains} />
      </Form>
    </section>
  );
}
