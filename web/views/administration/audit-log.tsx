import { useEffect, useRef, useState } from "preact/hooks";
import type { Reply } from "../../base/api/calls.ts";
import { t } from "../../base/languages/language.ts";
import { fullTime } from "../../base/lib/time.ts";
import { List } from "../../parts/fields/filtered-list.tsx";
import { SelectField } from "../../parts/fields/form.tsx";
import { nameOf } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { state } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";
import { roles } from "../../state/model.ts";

/** Who changed what in the organization. */

type AuditRecord = Reply<"GET /realm/audit_log">["records"][number];
type AuditType = AuditRecord["type"];

const labelsOfTypes = (): Record<AuditType, string> => ({
  signed_in: t("Signed in on a new device"),
  sign_in_failed: t("Wrong password given"),
  signed_out: t("Device signed out"),
  app_password_created: t("App password created"),
  second_factor_enabled: t("Second factor turned on"),
  second_factor_disabled: t("Second factor turned off"),
  second_factor_reset: t("Second factor removed by an administrator"),
  recovery_codes_replaced: t("Recovery codes replaced"),
  recovery_code_used: t("Recovery code used"),
  user_created: t("Account created"),
  user_deactivated: t("Account deactivated"),
  user_reactivated: t("Account reactivated"),
  user_erased: t("Account erased"),
  role_changed: t("Role changed"),
  user_renamed: t("Name changed"),
  email_changed: t("Email address changed"),
  password_changed: t("Password changed"),
  api_key_changed: t("API key replaced"),
  api_key_shown: t("API key shown"),
  identity_linked: t("Identity linked"),
  bot_changed: t("Bot changed"),
  group_created: t("Group created"),
  group_changed: t("Group changed"),
  group_members_changed: t("Members of a group changed"),
  organization_changed: t("Organization's settings changed"),
  defaults_changed: t("Defaults for new accounts changed"),
  organization_deactivated: t("Organization deactivated"),
  organization_reactivated: t("Organization reactivated"),
  channel_changed: t("Channel changed"),
  message_deleted: t("Someone else's message deleted"),
  topic_deleted: t("Topic deleted"),
  export_started: t("Export started"),
  export_deleted: t("Export deleted"),
  import_started: t("Import begun"),
  organization_imported: t("Organization replaced by an import"),
  import_given_up: t("Import given up or failed"),
  invitations_sent: t("Invitations sent"),
  invitation_link_created: t("Invitation link created"),
  invitation_revoked: t("Invitation revoked"),
  domain_added: t("Allowed domain added"),
  domain_changed: t("Allowed domain changed"),
  domain_removed: t("Allowed domain removed"),
});

/** Who made a change, and with which program; nothing where nobody knows who it was. */
function actorOf({ type, actor, acting_user_id, client }: AuditRecord): string[] {
  if (acting_user_id !== null) return [nameOf(acting_user_id), ...(client === null ? [] : [client])];
  return type === "sign_in_failed" ? [] : [otherActor(actor)];
}

const otherActor = (actor: AuditRecord["actor"]) =>
  actor === "scim" ? t("The directory (SCIM)") : actor === "operator" ? t("An operator's command") : t("The server");

/** What was changed: people, channels and groups by their names. */
const subjectOf = ({ name, user_id, stream_id, acting_user_id }: AuditRecord): string[] => [
  ...(name !== null ? [name] : user_id !== null && user_id !== acting_user_id ? [nameOf(user_id)] : []),
  ...(name === null && stream_id !== null ? [`#${channelName(stream_id)}`] : []),
];

const channelName = (id: number) => state.value?.channels.get(id)?.name ?? String(id);

/** The changed properties by the API's names, each with what it was and what it is. */
const changesOf = ({ before, after }: AuditRecord): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].map((name) => {
    const [former, present] = [before, after].map((values) =>
      name in values ? JSON.stringify(values[name]) : undefined,
    );
    return `${name}: ${[former, present].filter((value) => value !== undefined).join(" → ")}`;
  });

interface Filter {
  type: AuditType | null;
  actingUserId: number | null;
}

const fetchRecords = ({ type, actingUserId }: Filter, before: string | null, num = 100) =>
  call("GET /realm/audit_log", {
    num,
    ...(before !== null && { before }),
    ...(type !== null && { types: [type] }),
    ...(actingUserId !== null && { acting_user_id: actingUserId }),
  });

/** Saves all records that match as a file with one JSON object in each line. */
async function download(filter: Filter): Promise<void> {
  const lines: string[] = [];
  let before: string | null = null;
  do {
    const reply: Reply<"GET /realm/audit_log"> = await fetchRecords(filter, before, 1000);
    lines.push(...reply.records.map((record) => `${JSON.stringify(record)}\n`));
    before = reply.next;
  } while (before !== null);
  const url = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
  Object.assign(document.createElement("a"), { href: url, download: "audit-log.jsonl" }).click();
  URL.revokeObjectURL(url);
}

export function AuditLog() {
  const [filter, setFilter] = useState<Filter>({ type: null, actingUserId: null });
  const [records, setRecords] = useState<readonly AuditRecord[]>();
  const [next, setNext] = useState<string | null>(null);
  const current = useRef(filter);
  current.current = filter;
  useEffect(() => {
    let isCurrent = true;
    setRecords(undefined);
    void tryTo(async () => {
      const reply = await fetchRecords(filter, null);
      if (!isCurrent) return;
      setRecords(reply.records);
      setNext(reply.next);
    });
    return () => {
      isCurrent = false;
    };
  }, [filter]);
  const showMore = () =>
    tryTo(async () => {
      const reply = await fetchRecords(filter, next);
      // Another choice, made meanwhile, has other records.
      if (current.current !== filter) return;
      setRecords((shown = []) => [...shown, ...reply.records]);
      setNext(reply.next);
    });
  const labels = labelsOfTypes();
  const people = [...(state.value?.users.values() ?? [])].filter(({ role }) => role <= roles.moderator);
  return (
    <>
      <p class="quiet">
        {t("Who changed permissions, accounts, bots and settings, and who deleted what. Only owners see it.")}
      </p>
      <div class="audit-filter">
        <SelectField
          label={t("What changed")}
          value={filter.type}
          options={[
            { value: null, label: t("Everything") },
            ...(Object.keys(labels) as AuditType[]).map((value) => ({ value, label: labels[value] })),
          ]}
          onChange={(type) => setFilter({ ...filter, type })}
        />
        <SelectField
          label={t("By whom")}
          value={filter.actingUserId}
          options={[
            { value: null, label: t("Everyone") },
            ...people.map(({ user_id, full_name }) => ({ value: user_id, label: full_name })),
          ]}
          onChange={(actingUserId) => setFilter({ ...filter, actingUserId })}
        />
        <button type="button" onClick={() => void tryTo(() => download(filter))}>
          {t("Download as JSON lines")}
        </button>
      </div>
      {records === undefined ? (
        <p class="quiet">{t("Loading …")}</p>
      ) : (
        <List
          label={t("Audit log")}
          items={records}
          empty={next === null ? t("No such change was recorded.") : t("Nothing among the newest changes.")}
          row={(record) => (
            <li key={record.id}>
              <span class="grow">
                {labels[record.type]}
                {subjectOf(record)
                  .map((subject) => ` · ${subject}`)
                  .join("")}{" "}
                <span class="quiet small">{[...actorOf(record), fullTime(record.timestamp)].join(" · ")}</span>
                {changesOf(record).length > 0 && (
                  <details>
                    <summary class="small">{t("What changed")}</summary>
                    <pre class="small">{changesOf(record).join("\n")}</pre>
                  </details>
                )}
              </span>
            </li>
          )}
        />
      )}
      {next !== null && (
        <button type="button" onClick={() => void showMore()}>
          {t("Show more")}
        </button>
      )}
    </>
  );
}
