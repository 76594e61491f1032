import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { languages, locale, t } from "../../base/languages/language.ts";
import { useChosen } from "../../parts/fields/chosen.ts";
import { SelectField } from "../../parts/fields/form.tsx";
import { changeSettings, type SettingChanges } from "../../session/actions/change-own.ts";
import { realm, settings } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";
import type { Settings } from "../../state/model.ts";
import { markReadPolicies } from "../../state/narrow.ts";

/** The switches and choices of user settings: of the user's own, and of those with which new people begin. */

type SettingName = keyof SettingChanges & keyof Settings;

/** Whose settings are shown: their values, and how to change some. */
export interface Preferences {
  values: Settings;
  save: (changes: SettingChanges) => Promise<unknown>;
}

/** The user's own where nothing else is provided. */
export const PreferencesContext = createContext<Preferences | undefined>(undefined);

const usePreferences = (): Preferences =>
  useContext(PreferencesContext) ?? { values: settings.value ?? {}, save: changeSettings };

type BooleanSetting = {
  [N in SettingName]-?: SettingChanges[N] extends boolean | undefined ? N : never;
}[SettingName];

function Switch({ name, label }: { name: BooleanSetting; label: string }) {
  const { values, save } = usePreferences();
  const [isOn, choose] = useChosen(values[name] === true, (value) => tryTo(() => save({ [name]: value })));
  return (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={(event) => choose(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

function Choice<N extends SettingName>({
  name,
  label,
  options,
  hint,
}: {
  name: N;
  label: string;
  options: readonly { value: Exclude<SettingChanges[N], undefined>; label: string }[];
  hint?: string;
}) {
  const { values, save } = usePreferences();
  const [value, choose] = useChosen<unknown>(values[name], (chosen) => tryTo(() => save({ [name]: chosen })));
  return (
    <SelectField
      label={label}
      value={value}
      options={options}
      onChange={choose}
      {...(hint !== undefined && { hint })}
    />
  );
}

export const DesktopNotifications = () => (
  <>
    <Switch name="enable_desktop_notifications" label={t("Direct messages and mentions")} />
    <Switch name="enable_followed_topic_desktop_notifications" label={t("Topics I follow")} />
    <Switch name="enable_stream_desktop_notifications" label={t("All messages in channels")} />
    <Switch name="wildcard_mentions_notify" label={t("Mentions of everyone")} />
    <Switch name="pm_content_in_desktop_notifications" label={t("Include the text of direct messages")} />
    <Switch name="enable_sounds" label={t("Play a sound")} />
  </>
);

export const PushNotifications = () => (
  <>
    <Switch name="enable_offline_push_notifications" label={t("Direct messages and mentions while I'm away")} />
    <Switch name="enable_online_push_notifications" label={t("Even while I'm online")} />
    <Switch name="enable_followed_topic_push_notifications" label={t("Topics I follow")} />
  </>
);

export const EmailNotifications = () => (
  <>
    <Switch name="enable_offline_email_notifications" label={t("Direct messages and mentions I missed")} />
    <Switch name="enable_followed_topic_email_notifications" label={t("Topics I follow")} />
    <Switch name="message_content_in_email_notifications" label={t("Include the text of messages")} />
  </>
);

export const languageOptions = Object.entries(languages).map(([value, { name: label }]) => ({ value, label }));

/** The organization's language says nothing of the user, because new accounts start with it (`languageTag`). */
export function AccountLanguage() {
  const organization = realm.value?.realm_default_language ?? "en";
  return (
    <Choice
      name="default_language"
      label={t("Account language")}
      options={[
        { value: organization, label: t("Same as each browser") },
        ...languageOptions.filter(({ value }) => value !== organization),
      ]}
      hint={t("Used where you haven't picked a language.")}
    />
  );
}

const textSizes = Array.from({ length: 25 }, (_, index) => 8 + index);
const lineHeights = Array.from({ length: 16 }, (_, index) => 100 + 10 * index);
const percent = (value: number) => new Intl.NumberFormat(locale.value, { style: "percent" }).format(value / 100);

/** What sets the size and the line height at once. The compact one and the default are Zulip's. */
const densities = {
  compact: { web_font_size_px: 14, web_line_height_percent: 122 },
  regular: { web_font_size_px: 16, web_line_height_percent: 140 },
  roomy: { web_font_size_px: 17, web_line_height_percent: 160 },
};

function Density() {
  const { values, save } = usePreferences();
  const { web_font_size_px: size = 16, web_line_height_percent: height = 140 } = values;
  const known = Object.entries(densities).find(
    ([, density]) => density.web_font_size_px === size && density.web_line_height_percent === height,
  );
  const [value, choose] = useChosen(known?.[0] ?? "custom", (chosen) =>
    tryTo(() => save(densities[chosen as keyof typeof densities])),
  );
  return (
    <SelectField
      label={t("Density")}
      value={value}
      options={[
        { value: "compact", label: t("Compact") },
        { value: "regular", label: t("Regular") },
        { value: "roomy", label: t("Roomy") },
        ...(value === "custom" ? [{ value, label: t("Custom") }] : []),
      ]}
      onChange={choose}
    />
  );
}

function LineSpacing() {
  const { web_line_height_percent: height = 140 } = usePreferences().values;
  const heights = lineHeights.includes(height) ? lineHeights : [...lineHeights, height].sort((a, b) => a - b);
  return (
    <Choice
      name="web_line_height_percent"
      label={t("Line spacing")}
      options={heights.map((value) => ({ value, label: percent(value) }))}
    />
  );
}

export const Appearance = () => (
  <>
    <Choice
      name="color_scheme"
      label={t("Theme")}
      options={[
        { value: 1, label: t("System default") },
        { value: 3, label: t("Light") },
        { value: 2, label: t("Dark") },
      ]}
    />
    <Density />
    <Choice
      name="web_font_size_px"
      label={t("Text size")}
      options={textSizes.map((value) => ({ value, label: t("{count} px", { count: value }) }))}
    />
    <LineSpacing />
    <Choice
      name="twenty_four_hour_time"
      label={t("Time")}
      options={[
        { value: true, label: "17:00" },
        { value: false, label: t("5:00 PM") },
      ]}
    />
    <Choice
      name="web_home_view"
      label={t("Home view")}
      options={[
        { value: "inbox", label: t("Inbox") },
        { value: "recent_topics", label: t("Recent conversations") },
        { value: "all_messages", label: t("Combined feed") },
      ]}
    />
  </>
);

/** How the user reads and writes, and what others see of it. */
export const ReadingAndWriting = () => (
  <>
    <h2>{t("Reading")}</h2>
    <Choice
      name="web_mark_read_on_scroll_policy"
      label={t("Automatically mark messages as read")}
      options={[
        { value: markReadPolicies.always, label: t("Always") },
        { value: markReadPolicies.inConversations, label: t("Only in a topic or direct conversation") },
        { value: markReadPolicies.never, label: t("Never") },
      ]}
    />
    <h2>{t("Writing")}</h2>
    <Switch name="enter_sends" label={t("Enter sends the message")} />
    <Switch name="translate_emoticons" label={t("Turn :) into emoji")} />
    <Switch name="enable_drafts_synchronization" label={t("Keep drafts on the server")} />
    <h2>{t("What others see")}</h2>
    <Switch name="presence_enabled" label={t("Let others see whether I'm online")} />
    <Switch name="send_private_typing_notifications" label={t("Let others see when I'm typing in direct messages")} />
    <Switch name="send_stream_typing_notifications" label={t("Let others see when I'm typing in channels")} />
    <Switch name="send_read_receipts" label={t("Let others see what I've read")} />
  </>
);

/** Not among the defaults: consent is each person's own. */
export const ExportConsent = () => (
  <Switch
    name="allow_private_data_export"
    label={t("Let administrators export my direct messages and private channels")}
  />
);
