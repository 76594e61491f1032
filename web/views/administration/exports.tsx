import { useEffect, useState } from "preact/hooks";
import type { Reply } from "../../base/api/calls.ts";
import { t } from "../../base/languages/language.ts";
import { fullTime } from "../../base/lib/time.ts";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { List } from "../../parts/fields/filtered-list.tsx";
import { Form, SelectField } from "../../parts/fields/form.tsx";
import { focusPage, nameOf } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { onEvents } from "../../session/store.ts";
import { tryTo } from "../../session/toasts.ts";

/** Archives of the organization's data: those that there are, and how to make another. */

type DataExport = Reply<"GET /export/realm">["exports"][number];

/** What an archive contains, as the API numbers it. */
const exportTypes = { publicChannels: 1, consented: 2 } as const;

const statusOf = ({ pending, failed_timestamp, deleted_timestamp }: DataExport) =>
  pending ? t("Creating …") : failed_timestamp ? t("Failed") : deleted_timestamp ? t("Deleted") : "";

const consents = (count: number) =>
  count === 0
    ? t("Nobody has consented in their settings yet.")
    : t("{count, plural, one {# person has consented} other {# people have consented}} in their settings.", { count });

const remove = ({ id, export_time }: DataExport) =>
  confirmAndTry(
    {
      title: t("Delete the archive?"),
      text: t("The archive of {time} can no longer be downloaded.", { time: fullTime(export_time) }),
      label: t("Delete"),
    },
    async () => {
      await call("DELETE /export/realm/{export_id}", { export_id: id });
      focusPage();
    },
  );

/** The exports, and those who consent that an archive contains what only they see; undefined until they are there. */
function useExports() {
  const [exports, setExports] = useState<readonly DataExport[]>();
  const [consentCount, setConsentCount] = useState<number>();
  useEffect(() => {
    const fetchAll = async () => {
      setExports((await call("GET /export/realm")).exports);
      const { export_consents } = await call("GET /export/realm/consents");
      setConsentCount(export_consents.filter(({ consented }) => consented).length);
    };
    void tryTo(fetchAll);
    return onEvents((events) => {
      for (const event of events) {
        if (event.type === "realm_export") setExports(event.exports);
        if (event.type === "realm_export_consent") void tryTo(fetchAll);
      }
    });
  }, []);
  return { exports, consentCount };
}

export function Exports() {
  const { exports, consentCount } = useExports();
  const [type, setType] = useState<1 | 2>(exportTypes.publicChannels);
  return (
    <>
      <p class="quiet">
        {t(
          "An archive has the format of Zulip's exports. Keep it, or import it elsewhere. Anyone with the link can download it.",
        )}
      </p>
      <Form
        heading={t("New export")}
        submit={t("Start")}
        save={() => call("POST /export/realm", { export_type: type })}
      >
        <SelectField
          label={t("Contents")}
          value={type}
          options={[
            { value: exportTypes.publicChannels, label: t("Public channels") },
            { value: exportTypes.consented, label: t("Also private content of people who consented") },
          ]}
          onChange={setType}
          {...(consentCount !== undefined && { hint: consents(consentCount) })}
        />
      </Form>
      {exports === undefined ? (
        <p class="quiet">{t("Loading …")}</p>
      ) : (
        <List
          label={t("Exports")}
          items={[...exports].reverse()}
          empty={t("No exports yet.")}
          row={(dataExport) => (
            <li key={dataExport.id}>
              <span class="grow">
                {fullTime(dataExport.export_time)}{" "}
                <span class="quiet small">
                  {dataExport.export_type === exportTypes.publicChannels
                    ? t("Public channels")
                    : t("Also private content of people who consented")}
                  {" · "}
                  {nameOf(dataExport.acting_user_id)}
                </span>
              </span>
              <span class="quiet">{statusOf(dataExport)}</span>
              {dataExport.export_url && (
                <>
                  <a
                    class="button"
                    href={dataExport.export_url}
                    aria-label={t("Download the archive of {time}", { time: fullTime(dataExport.export_time) })}
                  >
                    {t("Download")}
                  </a>
                  <button
                    type="button"
                    class="danger"
                    aria-label={t("Delete the archive of {time}", { time: fullTime(dataExport.export_time) })}
                    onClick={() => void remove(dataExport)}
                  >
                    {t("Delete")}
                  </button>
                </>
              )}
            </li>
          )}
        />
      )}
    </>
  );
}
