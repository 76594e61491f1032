import { useEffect, useRef, useState } from "preact/hooks";
import { ApiFailure, type Credentials, connect } from "../base/api/client.ts";
import { t } from "../base/languages/language.ts";
import { rememberCredentials } from "../session/credentials.ts";
import { endedSession, start } from "../session/lifetime.ts";
import { FactorSecret, RecoveryCodes } from "../views/settings/factor-secrets.tsx";

interface DevAccount {
  email: string;
  full_name: string;
}

interface Provider {
  name: string;
  display_name: string;
  display_icon: string | null;
  login_url: string;
}

/** What Zulip's desktop app offers to its pages. Of version 1: a key, and the text that it encrypts when somebody copies it. */
interface DesktopApp {
  decrypt_clipboard?: (version: 1) => { key: Uint8Array; pasted: Promise<string> };
}

const desktopApp = (): DesktopApp | undefined => (globalThis as { electron_bridge?: DesktopApp }).electron_bridge;

const toHex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

const focusField = (field: HTMLInputElement | null) => field?.focus();

/** What the server says when a password needs a second step; with `secret`, an authenticator app must be set up. */
interface Factor {
  second_factor_token: string;
  secret?: string;
  otpauth_url?: string;
}

/** The login: by an identity provider, with an e-mail address and password and perhaps a code, or on a development host by choosing an account. */
export function SignIn() {
  const ended = endedSession.value;
  const [realm, setRealm] = useState<{ name: string; development: boolean; password: boolean }>();
  const [providers, setProviders] = useState<readonly Provider[]>([]);
  const [accounts, setAccounts] = useState<readonly DevAccount[]>([]);
  const [email, setEmail] = useState(ended?.email ?? "");
  const [password, setPassword] = useState("");
  const [message, setMessage] = useState("");
  const [code, setCode] = useState("");
  /** What follows a password that was right; undefined: no code is needed yet. */
  const [factor, setFactor] = useState<Factor>();
  /** Of a second factor that was just set up, with what continues. */
  const [recovery, setRecovery] = useState<{ codes: readonly string[]; credentials: Credentials }>();
  const [busy, setBusy] = useState(false);
  const [isOpenToJoin, setOpenToJoin] = useState(false);
  const reasonRef = useRef<HTMLParagraphElement>(null);

  // The focused element was removed when the session ended: move the focus.
  useEffect(() => {
    if (ended) reasonRef.current?.focus();
  }, [ended]);

  useEffect(() => {
    const callAnonymously = connect();
    callAnonymously("GET /server_settings")
      .then(async (settings) => {
        const methods = settings.authentication_methods;
        document.title = settings.realm_name;
        setRealm({ name: settings.realm_name, development: methods.dev === true, password: methods.password === true });
        setProviders(settings.external_authentication_methods);
        setOpenToJoin(settings.realm_open_to_join);
        if (!methods.dev) return;
        const { direct_admins, direct_users } = await callAnonymously("GET /dev_list_users");
        setAccounts([...direct_admins, ...direct_users]);
      })
      .catch((error: Error) => setMessage(error.message));
  }, []);

  const signIn = async (fetchCredentials: () => Promise<Credentials | undefined>) => {
    setBusy(true);
    setMessage("");
    try {
      const credentials = await fetchCredentials();
      if (!credentials) return setBusy(false);
      if (ended && ended.email !== credentials.email) {
        // Discards this page's memory, which contains messages of the previous user.
        rememberCredentials(credentials);
        return location.reload();
      }
      await start(credentials);
    } catch (error) {
      setBusy(false);
      const next = error instanceof ApiFailure ? (error.details as Partial<Factor>) : {};
      if (typeof next.second_factor_token === "string") return setFactor(next as Factor);
      setMessage(error instanceof ApiFailure ? error.message : t("Something went wrong. Try again."));
    }
  };

  const withPassword = async (): Promise<Credentials> => {
    const reply = await connect()("POST /fetch_api_key", { username: email.trim(), password });
    return { email: reply.email, apiKey: reply.api_key };
  };
  const withCode = (second_factor_token: string) => async (): Promise<Credentials | undefined> => {
    const reply = await connect()("POST /second_factor/fetch_api_key", {
      username: email.trim(),
      second_factor_token,
      code,
    });
    const credentials = { email: reply.email, apiKey: reply.api_key };
    if (!reply.recovery_codes) return credentials;
    setRecovery({ codes: reply.recovery_codes, credentials });
    return undefined;
  };
  /** The desktop app opens the provider in the browser, where people may be signed in already, and waits for a code from there. */
  const inBrowser = async (event: MouseEvent, path: string) => {
    const decryption = desktopApp()?.decrypt_clipboard?.(1);
    if (!decryption) return;
    event.preventDefault();
    open(`${path}?desktop_flow_otp=${toHex(decryption.key)}`, "_blank", "noopener");
    setMessage(t("Sign in with your browser, then copy the code it shows."));
    const token = await decryption.pasted;
    await signIn(async () => {
      const reply = await connect()("POST /token/fetch_api_key", { token });
      return { email: reply.email, apiKey: reply.api_key };
    });
  };
  const asDevAccount = (username: string) => async (): Promise<Credentials> => {
    const reply = await connect()("POST /dev_fetch_api_key", { username });
    return { email: reply.email, apiKey: reply.api_key };
  };

  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <img src="/client/icon.svg" width="56" height="56" alt="" />
        <h1>{realm?.name ?? "Skein"}</h1>
        {ended && (
          <p class="quiet" ref={reasonRef} tabIndex={-1}>
            {ended.reason} {t("Sign in again to continue.")}
          </p>
        )}
        {recovery && (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void signIn(async () => recovery.credentials);
            }}
          >
            <RecoveryCodes codes={recovery.codes} />
            <button type="submit" class="primary" disabled={busy}>
              {t("Continue")}
            </button>
          </form>
        )}
        {factor && !recovery && (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void signIn(withCode(factor.second_factor_token));
            }}
          >
            {factor.secret !== undefined && factor.otpauth_url !== undefined && (
              <>
                <p>{t("Your organization requires a second factor.")}</p>
                <FactorSecret secret={factor.secret} otpauth_url={factor.otpauth_url} />
              </>
            )}
            <label>
              {factor.secret === undefined
                ? t("Code of your authenticator app, or a recovery code")
                : t("The code that the app shows")}
              <input
                name="code"
                autocomplete="one-time-code"
                required
                ref={focusField}
                value={code}
                onInput={(event) => setCode(event.currentTarget.value)}
              />
            </label>
            <button type="submit" class="primary" disabled={busy}>
              {busy ? t("Signing in …") : t("Sign in")}
            </button>
            <button
              type="button"
              onClick={() => {
                setFactor(undefined);
                setCode("");
                setMessage("");
              }}
            >
              {t("Back")}
            </button>
          </form>
        )}
        {!factor && providers.length > 0 && (
          <nav class="providers" aria-label={t("Other ways to sign in")}>
            {providers.map(({ name, display_name, display_icon, login_url }) => (
              // A navigation, which leaves this page.
              <a key={name} class="button" href={login_url} onClick={(event) => void inBrowser(event, login_url)}>
                {display_icon && <img src={display_icon} width="18" height="18" alt="" />}
                {t("Sign in with {provider}", { provider: display_name })}
              </a>
            ))}
          </nav>
        )}
        {!factor && providers.length > 0 && realm?.password && <p class="or">{t("or")}</p>}
        {!factor && realm?.password !== false && (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void signIn(withPassword);
            }}
          >
            <label>
              {t("Email")}
              <input
                type="email"
                name="email"
                autocomplete="username"
                required
                value={email}
                onInput={(event) => setEmail(event.currentTarget.value)}
              />
            </label>
            <label>
              {t("Password")}
              <input
                type="password"
                name="password"
                autocomplete="current-password"
                required
                value={password}
                onInput={(event) => setPassword(event.currentTarget.value)}
              />
            </label>
            <button type="submit" class="primary" disabled={busy}>
              {busy ? t("Signing in …") : t("Sign in")}
            </button>
            <p class="ways">
              <a href="/password-reset">{t("Forgot password?")}</a>
              {isOpenToJoin && <a href="/join">{t("Join")}</a>}
            </p>
          </form>
        )}
        <p class="problem" role="alert">
          {message}
        </p>
        {!factor && accounts.length > 0 && (
          <section>
            <h2>{t("Development host: sign in as")}</h2>
            <ul class="accounts">
              {accounts.map(({ email: address, full_name }) => (
                <li key={address}>
                  <button type="button" disabled={busy} onClick={() => void signIn(asDevAccount(address))}>
                    <strong>{full_name}</strong>
                    <span>{address}</span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </main>
  );
}
