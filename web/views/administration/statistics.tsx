import { useComputed } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { compareTexts, locale, t } from "../../base/languages/language.ts";
import { linkTo } from "../../navigation/router.ts";
import { FilteredList } from "../../parts/fields/filtered-list.tsx";
import { PrivacyIcon } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { state } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";
import { roles, type State } from "../../state/model.ts";

/** What the organization has: people, channels, messages and files, from what the page knows and one request. */

const bytesPerMib = 1024 * 1024;
const weekSeconds = 7 * 24 * 3600;

const megabytes = (bytes: number) =>
  new Intl.NumberFormat(locale.value, { style: "unit", unit: "megabyte", maximumFractionDigits: 1 }).format(
    bytes / bytesPerMib,
  );
const number = (value: number) => new Intl.NumberFormat(locale.value).format(value);

/** The bytes of all uploaded files; undefined until they are known. */
function useStoredBytes(): number | undefined {
  const [stored, setStored] = useState<number>();
  useEffect(() => {
    void tryTo(async () => setStored((await call("GET /attachments")).upload_space_used));
  }, []);
  return stored;
}

function figuresOf({ users, channels, presences, realm }: State, storedBytes: number | undefined) {
  const accounts = [...users.values()].filter(({ is_active, is_system_bot }) => is_active && !is_system_bot);
  const people = accounts.filter(({ is_bot }) => !is_bot);
  const since = Date.now() / 1000 - weekSeconds;
  const recent = people.filter(({ user_id }) => {
    const presence = presences.get(user_id);
    return presence !== undefined && Math.max(presence.active, presence.idle) > since;
  });
  const open = [...channels.values()].filter(({ is_archived }) => !is_archived);
  const quota = realm.realm_upload_quota_mib;
  return [
    { label: t("People"), value: number(people.length) },
    { label: t("Guests"), value: number(people.filter(({ role }) => role === roles.guest).length) },
    { label: t("Active in the last 7 days"), value: number(recent.length) },
    { label: t("Bots"), value: number(accounts.length - people.length) },
    { label: t("Channels"), value: number(open.length) },
    { label: t("Private"), value: number(open.filter(({ invite_only }) => invite_only).length) },
    // The IDs of messages count them, also those that were deleted since.
    { label: t("Messages sent"), value: number(Math.max(0, realm.max_message_id ?? 0)) },
    {
      label: quota ? t("Files (of {quota})", { quota: megabytes(quota * bytesPerMib) }) : t("Files"),
      value: storedBytes === undefined ? "…" : megabytes(storedBytes),
    },
  ];
}

export function Statistics() {
  const storedBytes = useStoredBytes();
  const current = useComputed(() => state.value).value;
  if (!current) return null;
  const channels = [...current.channels.values()]
    .filter(({ is_archived }) => !is_archived)
    .sort((a, b) => (b.stream_weekly_traffic ?? 0) - (a.stream_weekly_traffic ?? 0) || compareTexts(a.name, b.name));
  return (
    <>
      <dl class="figures">
        {figuresOf(current, storedBytes).map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <h2>{t("Messages in the last 7 days")}</h2>
      <FilteredList
        label={t("Messages in the last 7 days")}
        items={channels}
        textOf={({ name }) => name}
        filterLabel={t("Filter channels")}
        noMatch={t("No matching channels.")}
        row={({ stream_id, name, stream_weekly_traffic }) => (
          <li key={stream_id}>
            <a class="grow" href={linkTo({ kind: "channel-settings", channelId: stream_id })}>
              <PrivacyIcon channelId={stream_id} /> {name}
            </a>
            <span class="quiet">{stream_weekly_traffic === null ? t("New") : number(stream_weekly_traffic)}</span>
          </li>
        )}
      />
    </>
  );
}
