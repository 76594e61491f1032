import { useState } from "preact/hooks";
import type { Reply } from "../../base/api/calls.ts";
import { ApiFailure } from "../../base/api/client.ts";
import { t } from "../../base/languages/language.ts";
import { dayAndTime } from "../../base/lib/time.ts";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { LineToCopy } from "../../parts/copy.tsx";
import { List } from "../../parts/fields/filtered-list.tsx";
import { Form, TextField } from "../../parts/fields/form.tsx";
import { focusPage } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { currentState } from "../../session/store.ts";

/** Keys for programs, each with a name, which are shown once. */

export type Device = Reply<"GET /users/me/devices">["devices"][number];
type Created = Reply<"POST /users/me/app_passwords"> & { name: string };

export function AppPasswords({
  existing,
  onCreate,
  onRevoke,
}: {
  existing: readonly Device[] | undefined;
  onCreate: () => Promise<unknown>;
  onRevoke: (id: string) => void;
}) {
  const [name, setName] = useState("");
  const [ownPassword, setOwnPassword] = useState("");
  const hasPasswords = currentState().realm.realm_email_auth_enabled;
  const [created, setCreated] = useState<Created>();
  const revoke = (password: Device) =>
    confirmAndTry(
      {
        title: t("Revoke {name}?", { name: password.client }),
        text: t("The program that uses it loses access at once."),
        label: t("Revoke"),
      },
      async () => {
        await call("DELETE /users/me/devices/{device_id}", { device_id: password.id }).catch(throwUnlessGone);
        setCreated((shown) => (shown?.id === password.id ? undefined : shown));
        onRevoke(password.id);
        focusPage();
      },
    );
  return (
    <>
      <Form
        heading={t("App passwords")}
        submit={t("Create")}
        disabled={name.trim() === ""}
        save={async () => {
          const given = ownPassword === "" ? {} : { password: ownPassword };
          const reply = await call("POST /users/me/app_passwords", { name: name.trim(), ...given });
          setCreated({ ...reply, name: name.trim() });
          setName("");
          setOwnPassword("");
          await onCreate();
        }}
      >
        <p class="quiet">
          {t(
            "For programs such as a terminal client or a bot. Each gets its own, which you can revoke. Programs accept it in place of your password or API key.",
          )}
        </p>
        <TextField label={t("Name of the program")} max={60} value={name} onChange={setName} />
        {hasPasswords && (
          <TextField
            label={t("Your password, if you have one")}
            type="password"
            autocomplete="current-password"
            value={ownPassword}
            onChange={setOwnPassword}
          />
        )}
        {created && (
          <div role="status">
            <p>{t("Copy the app password for {name} now. It is not shown again.", { name: created.name })}</p>
            <LineToCopy label={t("App password")} line={created.app_password} />
          </div>
        )}
      </Form>
      {existing !== undefined && existing.length > 0 && (
        <List
          class="cards"
          label={t("App passwords")}
          items={existing}
          empty=""
          row={(password) => (
            <li key={password.id}>
              <header>
                <strong class="grow">{password.client}</strong>
                <button
                  type="button"
                  class="danger"
                  aria-label={t("Revoke {name}", { name: password.client })}
                  onClick={() => void revoke(password)}
                >
                  {t("Revoke")}
                </button>
              </header>
              <p class="quiet small">{detailsOf(password).join(" · ")}</p>
            </li>
          )}
        />
      )}
    </>
  );
}

/** A device or app password that another window ended is gone, as the user wants. */
export function throwUnlessGone(error: unknown): void {
  if (!(error instanceof ApiFailure && error.status === 404)) throw error;
}

const detailsOf = ({ date_created, last_used }: Device): string[] => [
  ...(date_created === null ? [] : [t("Created {time}", { time: dayAndTime(date_created) })]),
  ...(last_used === null || last_used === date_created
    ? []
    : [t("Last used {time}, or up to an hour later", { time: dayAndTime(last_used) })]),
];
