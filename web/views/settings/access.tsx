import { useEffect, useState } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { dayAndTime, fullTime } from "../../base/lib/time.ts";
import { confirmAndTry } from "../../parts/confirm.tsx";
import { LineToCopy } from "../../parts/copy.tsx";
import { List } from "../../parts/fields/filtered-list.tsx";
import { Form, TextField } from "../../parts/fields/form.tsx";
import { focusPage } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { tryTo } from "../../session/toasts.ts";
import { AppPasswords, type Device, throwUnlessGone } from "./app-passwords.tsx";
import { signOut } from "./sign-out.tsx";

/** What gives access to the account: the API key and the app passwords of programs, and the devices on which its owner is signed in. */

export function Access() {
  const [devices, setDevices] = useState<readonly Device[]>();
  const [apiKey, setApiKey] = useState<string>();
  const [password, setPassword] = useState("");
  const load = async () => setDevices((await call("GET /users/me/devices")).devices);
  useEffect(() => void tryTo(load), []);
  const renew = (title: string, label: string, shows: boolean) =>
    confirmAndTry(
      {
        title,
        text: t(
          "All other devices are signed out at once, app passwords are revoked, and programs need your new API key.",
        ),
        label,
      },
      async () => {
        const { api_key } = await call("POST /users/me/api_key/regenerate");
        setApiKey(shows ? api_key : undefined);
        await load();
      },
    );
  const endDevice = (device: Device) =>
    confirmAndTry(
      {
        title: t("Sign out {name}?", { name: nameOf(device) }),
        text: t("It loses access at once, and gets no more notifications."),
        label: t("Sign out"),
      },
      async () => {
        await call("DELETE /users/me/devices/{device_id}", { device_id: device.id }).catch(throwUnlessGone);
        setDevices((others) => others?.filter(({ id }) => id !== device.id));
        focusPage();
      },
    );
  return (
    <>
      <Form
        heading={t("API key")}
        submit={t("Show")}
        disabled={password === ""}
        save={async () => {
          setApiKey((await call("POST /users/me/api_key", { password })).api_key);
          setPassword("");
        }}
      >
        <p class="quiet">
          {t("Programs use it to act on your behalf. Anyone who has it can do everything that you can.")}
        </p>
        {apiKey !== undefined && <LineToCopy label={t("API key")} line={apiKey} />}
        <TextField
          label={t("Your password, to see the key")}
          type="password"
          autocomplete="current-password"
          value={password}
          onChange={setPassword}
        />
        <div>
          <button
            type="button"
            class="danger"
            onClick={() => void renew(t("Create a new API key?"), t("Create a new key"), true)}
          >
            {t("Create a new key")}
          </button>
        </div>
      </Form>
      <AppPasswords
        existing={devices?.filter((device) => device.is_app_password)}
        onCreate={load}
        onRevoke={(id) => setDevices((others) => others?.filter((other) => other.id !== id))}
      />
      <section>
        <h2>{t("Devices")}</h2>
        <p class="quiet">{t("You are signed in on these. Sign out of those that you have lost or no longer use.")}</p>
        {devices === undefined ? (
          <p class="quiet">{t("Loading …")}</p>
        ) : (
          <List
            class="cards"
            label={t("Devices")}
            items={devices.filter((device) => !device.is_app_password)}
            empty={t("No device is signed in.")}
            row={(device) => (
              <li key={device.id}>
                <header>
                  <strong class="grow">{nameOf(device)}</strong>
                  {!device.is_current && (
                    <button
                      type="button"
                      class="danger"
                      aria-label={t("Sign out {name}", { name: nameOf(device) })}
                      onClick={() => void endDevice(device)}
                    >
                      {t("Sign out")}
                    </button>
                  )}
                </header>
                <p class="quiet small">{detailsOf(device).join(" · ")}</p>
              </li>
            )}
          />
        )}
        <div class="dialog-actions">
          <button type="button" onClick={() => void signOut()}>
            {t("Sign out of this browser")}
          </button>
          <button
            type="button"
            class="danger"
            onClick={() => void renew(t("Sign out of all other devices?"), t("Sign out"), false)}
          >
            {t("Sign out of all other devices")}
          </button>
        </div>
      </section>
    </>
  );
}

function nameOf({ client, system, is_current }: Device): string {
  if (is_current) return t("This browser");
  if (client === "") return t("Unknown program");
  return system === "" ? client : t("{client} on {system}", { client, system });
}

const detailsOf = ({ date_created, last_used, ends_at, is_current, is_in_same_network }: Device): string[] => [
  ...(date_created === null ? [] : [t("Signed in {time}", { time: dayAndTime(date_created) })]),
  ...(last_used === null || is_current
    ? []
    : [t("Last used {time}, or up to an hour later", { time: dayAndTime(last_used) })]),
  ...(date_created === null || is_current
    ? []
    : [is_in_same_network ? t("From the network that you use now") : t("From another network")]),
  ...(ends_at === null ? [] : [t("Until {time}", { time: fullTime(ends_at) })]),
];
