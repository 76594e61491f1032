import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiFailure, refusesKey } from "./api/client.ts";
import { forgetCredentials, rememberedCredentials } from "./credentials.ts";
import { registerServiceWorker } from "./offline.ts";
import { connection, endedSession, replacementOf, signingOut, startOnceReachable, state } from "./session.ts";
import { App } from "./views/app.tsx";
import { SignIn } from "./views/sign-in.tsx";

/** Shows the app if this browser has credentials, otherwise the login. */
function Page() {
  const [isStarting, setStarting] = useState(true);
  /** The server's error message, unless the error is an invalid key. */
  const [refusal, setRefusal] = useState("");
  const attempts = useRef<AbortController | undefined>(undefined);
  const enter = () => {
    attempts.current?.abort();
    const credentials = rememberedCredentials();
    if (!credentials) return setStarting(false);
    const mine = new AbortController();
    attempts.current = mine;
    setRefusal("");
    setStarting(true);
    startOnceReachable(credentials, mine.signal)
      .then(() => setStarting(false))
      .catch(async (error: unknown) => {
        const replacement = refusesKey(error) && (await replacementOf(credentials));
        if (mine.signal.aborted) return;
        if (replacement) return enter();
        if (refusesKey(error)) {
          if (rememberedCredentials()?.apiKey === credentials.apiKey) forgetCredentials();
          endedSession.value ??= { reason: "Your session has ended.", email: credentials.email };
        } else setRefusal(error instanceof ApiFailure ? error.message : "Something went wrong.");
        setStarting(false);
      });
  };
  const giveUp = () => {
    attempts.current?.abort();
    forgetCredentials();
    setRefusal("");
    setStarting(false);
  };
  useEffect(enter, []);
  if (signingOut.value) return <p class="notice">Signing out …</p>;
  if (state.value) return <App />;
  if (isStarting && connection.value !== "reconnecting") return <p class="notice">Loading …</p>;
  if (!isStarting && !refusal) return <SignIn />;
  return (
    <main class="notice">
      {refusal ? (
        <p role="alert">{refusal}</p>
      ) : (
        <div role="status">
          <h1>Reconnecting …</h1>
          <p>The server cannot be reached. Your messages appear here as soon as it can.</p>
        </div>
      )}
      <p>
        <button type="button" class="primary" onClick={enter}>
          Try again
        </button>{" "}
        <button type="button" onClick={giveUp}>
          Sign out
        </button>
      </p>
    </main>
  );
}

const root = document.getElementById("root");
if (root) render(<Page />, root);
// Without the worker, the page works while there is a network.
addEventListener("load", () => void registerServiceWorker(import.meta.url).catch(() => {}));
