import { useComputed } from "@preact/signals";
import { compareTexts, t } from "../../base/languages/language.ts";
import { ComboboxField } from "../../parts/fields/combobox.tsx";
import { List } from "../../parts/fields/filtered-list.tsx";
import { focusPage, PrivacyIcon } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { state } from "../../session/store.ts";
import { toast, toastWithUndo, tryTo } from "../../session/toasts.ts";

/** The channels that new members are subscribed to. */
export function DefaultChannels() {
  const current = useComputed(() => state.value).value;
  if (!current) return null;
  const defaultIds = new Set(current.realm.realm_default_streams);
  const channels = [...current.channels.values()]
    .filter((channel) => !channel.is_archived)
    .sort((a, b) => compareTexts(a.name, b.name));
  return (
    <>
      <p class="quiet">{t("New people are subscribed to these channels, unless their invitation says otherwise.")}</p>
      <List
        label={t("Default channels")}
        items={channels.filter(({ stream_id }) => defaultIds.has(stream_id))}
        empty={t("New people start in no channel.")}
        row={({ stream_id, name }) => (
          <li key={stream_id}>
            <span class="grow">
              <PrivacyIcon channelId={stream_id} /> {name}
            </span>
            <button
              type="button"
              aria-label={t("Remove {name}", { name })}
              onClick={() =>
                void tryTo(async () => {
                  await call("DELETE /default_streams", { stream_id });
                  focusPage();
                  toastWithUndo(t("New people no longer start in “{name}”.", { name }), () =>
                    call("POST /default_streams", { stream_id }),
                  );
                })
              }
            >
              {t("Remove")}
            </button>
          </li>
        )}
      />
      <ComboboxField
        label={t("Add a channel")}
        placeholder={t("Choose …")}
        text=""
        // Only public channels, because every new user can read them.
        choices={() =>
          channels
            .filter((channel) => !defaultIds.has(channel.stream_id) && !channel.invite_only)
            .map(({ stream_id: value, name, description: detail }) => ({ value, name, detail }))
        }
        onChoose={(stream_id) => void tryTo(() => call("POST /default_streams", { stream_id }))}
        onUnknown={(name) => toast(t("There is no channel “{name}”.", { name }))}
      />
    </>
  );
}
