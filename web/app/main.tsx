import { effect } from "@preact/signals";
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiFailure, isInvalidKeyError } from "../base/api/client.ts";
import { directionOf, languageLoaded, locale, t } from "../base/languages/language.ts";
import { registerServiceWorker } from "../base/lib/offline.ts";
import { Boundary } from "../parts/boundary.tsx";
import { lazy } from "../parts/lazy.tsx";
import { forgetCredentials, rememberedCredentials } from "../session/credentials.ts";
import { connection } from "../session/events.ts";
import { endedSession, replacementOf, signingOut, startOnceReachable } from "../session/lifetime.ts";
import { state } from "../session/store.ts";
import { followSignOuts, SignOutQuestion, signOut } from "../views/settings/sign-out.tsx";
import { App } from "./app.tsx";

const SignIn = lazy(async () => (await import("./sign-in.tsx")).SignIn);

/** Shows the app if this browser has credentials, otherwise the login. */
function Page() {
  const [isStarting, setStarting] = useState(true);
  /** Why the session could not start; empty if the key is invalid, because the login then shows the reason. */
  const [startError, setStartError] = useState("");
  /** Aborts the current attempt to start. */
  const attempt = useRef<AbortController | undefined>(undefined);
  const startSession = () => {
    attempt.current?.abort();
    const credentials = rememberedCredentials();
    if (!credentials) return setStarting(false);
    const controller = new AbortController();
    attempt.current = controller;
    setStartError("");
    setStarting(true);
    startOnceReachable(credentials, controller.signal)
      .then(() => setStarting(false))
      .catch(async (error: unknown) => {
        const replacement = isInvalidKeyError(error) && (await replacementOf(credentials));
        if (controller.signal.aborted) return;
        if (replacement) return startSession();
        if (isInvalidKeyError(error)) {
          if (rememberedCredentials()?.apiKey === credentials.apiKey) forgetCredentials();
          endedSession.value ??= { reason: t("Your session has ended."), email: credentials.email };
        } else {
          console.error("Cannot start:", error);
          setStartError(error instanceof ApiFailure ? error.message : t("Something went wrong."));
        }
        setStarting(false);
      });
  };
  /** Signs out while the server cannot be reached, when a reload might fail. */
  const stopStarting = () => {
    attempt.current?.abort();
    setStartError("");
    setStarting(false);
  };
  const giveUp = () => signOut(stopStarting);
  useEffect(startSession, []);
  useEffect(
    () =>
      followSignOuts(() => {
        stopStarting();
        // The memory of the page contains what was read. A reload without a network needs the service worker.
        if (navigator.onLine || navigator.serviceWorker?.controller) location.reload();
      }),
    [],
  );
  if (signingOut.value) return <p class="notice">{t("Signing out …")}</p>;
  if (state.value)
    return (
      <>
        <App />
        <SignOutQuestion />
      </>
    );
  if (isStarting && connection.value !== "reconnecting") return <p class="notice">{t("Loading …")}</p>;
  if (!isStarting && !startError) return <SignIn />;
  return (
    <main class="notice">
      {startError ? (
        <p role="alert">{startError}</p>
      ) : (
        <div role="status">
          <h1>{t("Reconnecting …")}</h1>
          <p>{t("The server cannot be reached. Your messages appear here as soon as it can.")}</p>
        </div>
      )}
      <p>
        <button type="button" class="primary" onClick={startSession}>
          {t("Try again")}
        </button>{" "}
        <button type="button" onClick={() => void giveUp()}>
          {t("Sign out")}
        </button>
      </p>
      <SignOutQuestion />
    </main>
  );
}

const root = document.getElementById("root");
if (root)
  void languageLoaded().then(() =>
    render(
      <Boundary what="the page">
        <Page />
      </Boundary>,
      root,
    ),
  );
effect(() => {
  document.documentElement.lang = locale.value;
  document.documentElement.dir = directionOf(locale.value);
});
// If the registration fails, the page still works as long as there is a network.
addEventListener("load", () => void registerServiceWorker(import.meta.url).catch(() => {}));
