import { useEffect, useState } from "preact/hooks";
import type { Reply } from "../../base/api/calls.ts";
import { t } from "../../base/languages/language.ts";
import { dayAndTime, fullTime } from "../../base/lib/time.ts";
import { Form, TextField } from "../../parts/fields/form.tsx";
import { focusPage } from "../../parts/parts.tsx";
import { call } from "../../session/session.ts";
import { currentState } from "../../session/store.ts";
import { toast, tryTo } from "../../session/toasts.ts";
import { FactorSecret, RecoveryCodes } from "./factor-secrets.tsx";

/** The second factor with which its owner signs in, besides the password: an authenticator app, and recovery codes. */

type Status = Reply<"GET /users/me/second_factor">;
type SetUp = Reply<"POST /users/me/second_factor">;

export function SecondFactor() {
  const [status, setStatus] = useState<Status>();
  const [setUp, setSetUp] = useState<SetUp>();
  const [codes, setCodes] = useState<readonly string[]>();
  const load = async () => setStatus(await call("GET /users/me/second_factor"));
  useEffect(() => void tryTo(load), []);
  const show = async (newCodes: readonly string[] | undefined) => {
    setSetUp(undefined);
    setCodes(newCodes);
    await load();
    focusPage();
  };
  if (!status)
    return (
      <section>
        <h2>{t("Second factor")}</h2>
        <p class="quiet">{t("Loading …")}</p>
      </section>
    );
  if (setUp) return <Confirmation {...setUp} onConfirm={show} onCancel={() => setSetUp(undefined)} />;
  if (!status.is_enabled) return <Beginning onBegin={setSetUp} />;
  return (
    <>
      <section class="form">
        <h2>{t("Second factor")}</h2>
        <p>
          {t("On since {time}. When you sign in with your password, you also enter a code of your authenticator app.", {
            time: dayAndTime(status.date_enabled ?? 0),
          })}
        </p>
        {codes ? (
          <RecoveryCodes codes={codes} />
        ) : (
          <p class={status.recovery_codes_left > 2 ? "quiet" : "problem"}>
            {t("{count, plural, one {# recovery code is left} other {# recovery codes are left}}.", {
              count: status.recovery_codes_left,
            })}
          </p>
        )}
      </section>
      <NewRecoveryCodes onRenew={show} />
      <TurnOff onTurnOff={() => show(undefined)} />
    </>
  );
}

function Beginning({ onBegin }: { onBegin: (setUp: SetUp) => void }) {
  const [password, setPassword] = useState("");
  const requiredFrom = currentState().realm.realm_second_factor_required_from;
  return (
    <Form
      heading={t("Second factor")}
      submit={t("Set up")}
      disabled={password === ""}
      save={async () => onBegin(await call("POST /users/me/second_factor", { password }))}
    >
      <p class="quiet">
        {t(
          "An authenticator app on your phone makes codes. With a second factor, nobody signs in with your password alone. Programs need an app password then.",
        )}
      </p>
      {typeof requiredFrom === "number" && (
        <p>
          {t("Your organization requires one from {date}. Whoever has none by then sets one up when signing in.", {
            date: fullTime(requiredFrom),
          })}
        </p>
      )}
      <TextField
        label={t("Your password")}
        type="password"
        autocomplete="current-password"
        value={password}
        onChange={setPassword}
      />
    </Form>
  );
}

function Confirmation({
  secret,
  otpauth_url,
  second_factor_token,
  onConfirm,
  onCancel,
}: SetUp & { onConfirm: (codes: readonly string[]) => Promise<unknown>; onCancel: () => void }) {
  const [code, setCode] = useState("");
  return (
    <Form
      heading={t("Second factor")}
      submit={t("Turn on")}
      disabled={code.trim() === ""}
      onCancel={onCancel}
      save={async () => {
        const reply = await call("POST /users/me/second_factor/confirm", { second_factor_token, code });
        await onConfirm(reply.recovery_codes);
      }}
    >
      <FactorSecret secret={secret} otpauth_url={otpauth_url} />
      <CodeField label={t("The code that the app shows")} value={code} onChange={setCode} />
    </Form>
  );
}

function NewRecoveryCodes({ onRenew }: { onRenew: (codes: readonly string[]) => Promise<unknown> }) {
  const [code, setCode] = useState("");
  return (
    <Form
      heading={t("New recovery codes")}
      submit={t("Create")}
      disabled={code.trim() === ""}
      save={async () => {
        const reply = await call("POST /users/me/second_factor/recovery_codes", { code });
        setCode("");
        await onRenew(reply.recovery_codes);
      }}
    >
      <CodeField label={t("Code of your authenticator app")} value={code} onChange={setCode} />
    </Form>
  );
}

function TurnOff({ onTurnOff }: { onTurnOff: () => Promise<unknown> }) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  return (
    <Form
      heading={t("Turn the second factor off")}
      submit={t("Turn off")}
      disabled={password === "" || code.trim() === ""}
      save={async () => {
        await call("DELETE /users/me/second_factor", { password, code });
        toast(t("Your second factor is off."));
        await onTurnOff();
      }}
    >
      <TextField
        label={t("Your password")}
        type="password"
        autocomplete="current-password"
        value={password}
        onChange={setPassword}
      />
      <CodeField label={t("Code of your authenticator app, or a recovery code")} value={code} onChange={setCode} />
    </Form>
  );
}

const CodeField = (field: { label: string; value: string; onChange: (value: string) => void }) => (
  <TextField {...field} autocomplete="one-time-code" />
);
