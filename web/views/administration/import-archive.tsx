import { useEffect, useState } from "preact/hooks";
import type { Reply } from "../../base/api/calls.ts";
import { ApiFailure } from "../../base/api/client.ts";
import { t } from "../../base/languages/language.ts";
import { confirm, confirmAndTry } from "../../parts/confirm.tsx";
import { Form, TextField } from "../../parts/fields/form.tsx";
import { focusPage } from "../../parts/parts.tsx";
import { call, sessionEnd } from "../../session/session.ts";
import { tryTo } from "../../session/toasts.ts";

/** How an owner moves in from another chat: uploads its archive, reads what would be imported, and confirms. */

type ArchiveImport = Reply<"GET /realm/import/{token}">;

const storageKey = "skein-import";
const pollMs = 2000;

/** The page on which the import is followed: it needs no account. */
const followedAt = (token: string) => `/imports/${token}`;

/** The import that was begun in this browser; `undefined` until it is known, and `null` if there is none. */
function useImport() {
  const [token, setToken] = useState(() => localStorage.getItem(storageKey));
  const [current, setCurrent] = useState<ArchiveImport | null>();
  const remember = (given: string) => {
    localStorage.setItem(storageKey, given);
    setToken(given);
  };
  const refresh = async (of = token) => {
    try {
      setCurrent(of ? await call("GET /realm/import/{token}", { token: of }) : null);
    } catch (error) {
      if (error instanceof ApiFailure && error.status === 404) setCurrent(null);
    }
  };
  const isChecking = current?.state === "checking";
  useEffect(() => {
    void refresh();
    if (!isChecking) return;
    const timer = setInterval(() => void refresh(), pollMs);
    return () => clearInterval(timer);
  }, [token, isChecking]);
  return { token, current, remember, refresh };
}

const tries = 3;

/** Uploads a part, unless it has arrived before. */
async function uploadPart(file: Blob, part: number, partSize: number): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const offer = await call("POST /realm/import/parts", { part });
    const body = file.slice(part * partSize, (part + 1) * partSize);
    const sent = await fetch(offer.upload_url, {
      ...{ method: "PUT", headers: { "if-none-match": "*" }, body, signal: sessionEnd() },
    }).catch(() => undefined);
    if (sent?.ok || sent?.status === 412) return;
    if (attempt === tries) throw new Error(t("The upload was interrupted."));
  }
}

export function ImportArchive() {
  const { token, current, remember, refresh } = useImport();
  const [file, setFile] = useState<File>();
  const [ownerName, setOwnerName] = useState("");
  const [uploaded, setUploaded] = useState<number>();
  useEffect(() => {
    if (current?.state === "importing" && token) location.assign(followedAt(token));
  }, [current?.state]);

  const upload = async () => {
    if (!file) return;
    setUploaded(0);
    try {
      const begun = await call("POST /realm/import", { filename: file.name, size: file.size, owner_name: ownerName });
      remember(begun.token);
      for (let part = 0; part < begun.parts; part++) {
        await uploadPart(file, part, begun.part_size);
        setUploaded((part + 1) / begun.parts);
      }
      await call("POST /realm/import/check");
      await refresh(begun.token);
      setFile(undefined);
      focusPage();
    } finally {
      setUploaded(undefined);
    }
  };
  const importNow = async () => {
    const isSure = await confirm({
      title: t("Replace this organization?"),
      text: t("Everyone is signed out until the import has ended. Then sign in with the password that you have now."),
      label: t("Import"),
    });
    if (isSure && (await tryTo(() => call("POST /realm/import/confirm")))) location.assign(followedAt(token ?? ""));
  };
  const discard = () =>
    confirmAndTry(
      { title: t("Delete the archive?"), text: t("To import it, upload it again."), label: t("Delete") },
      async () => {
        await call("DELETE /realm/import/{token}", { token: token ?? "" });
        await refresh();
        focusPage();
      },
    );

  if (current === undefined) return <p class="quiet">{t("Loading …")}</p>;
  if (current?.state === "checking" && uploaded === undefined)
    return (
      <section class="form">
        <h2>{t("Checking {name}", { name: current.filename })}</h2>
        <p class="quiet">{t("This takes minutes. Nothing has been changed. You can leave this page and come back.")}</p>
        <progress
          aria-label={t("Checking {name}", { name: current.filename })}
          {...(current.total && { max: current.total, value: current.done ?? 0 })}
        />
      </section>
    );
  if (current?.state === "checked")
    return (
      <section class="form">
        <h2>{t("{name} can be imported", { name: current.name ?? current.filename })}</h2>
        <p class="quiet">{t("Nothing has been changed. The import replaces this organization with its settings.")}</p>
        {/* A region that scrolls can be reached by keys. */}
        <pre class="import-report" tabIndex={0} role="region" aria-label={t("What would be imported")}>
          {current.report}
        </pre>
        <div class="dialog-actions">
          <button type="button" onClick={() => void discard()}>
            {t("Delete the archive")}
          </button>
          <button type="button" class="primary" onClick={() => void importNow()}>
            {t("Import")}
          </button>
        </div>
      </section>
    );
  return (
    <Form heading={t("Upload an export")} submit={t("Upload and check")} disabled={!file} save={upload}>
      <p class="quiet">
        {t(
          "Move in from Slack, Mattermost, Rocket.Chat, Discord or Zulip: upload its export, a .zip or .tar.gz file of up to 1 GB. The import replaces this organization, which nobody else may have used yet.",
        )}
      </p>
      {current?.state === "failed" && uploaded === undefined && (
        <p class="problem" role="alert">
          {current.problem}
        </p>
      )}
      <label>
        {t("File of the export")}
        <input type="file" accept=".zip,.gz,.tgz" onChange={(event) => setFile(event.currentTarget.files?.[0])} />
      </label>
      <TextField
        label={t("Your name in Discord, if the export is from there")}
        max={100}
        value={ownerName}
        onChange={setOwnerName}
      />
      {uploaded !== undefined && (
        <progress max={1} value={uploaded} aria-label={t("Uploading {name}", { name: file?.name ?? "" })} />
      )}
    </Form>
  );
}
