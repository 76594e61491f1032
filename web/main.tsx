import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiFailure } from "./api/client.ts";
import { forget, remembered } from "./credentials.ts";
import { start, state } from "./session.ts";
import { App } from "./views/app.tsx";
import { SignIn } from "./views/sign-in.tsx";

/** Shows the app if this browser has credentials, otherwise the login. */
function Page() {
  const [phase, setPhase] = useState<"starting" | "ready" | "unreachable">("starting");
  const [problem, setProblem] = useState("");
  const enter = () => {
    const credentials = remembered();
    if (!credentials) return setPhase("ready");
    setPhase("starting");
    start(credentials)
      .then(() => setPhase("ready"))
      .catch((error: unknown) => {
        if (error instanceof ApiFailure && error.status === 401) {
          forget();
          setProblem("Sign in again: the key that was kept here is no longer good.");
          setPhase("ready");
        } else setPhase("unreachable");
      });
  };
  useEffect(enter, []);
  if (state.value) return <App />;
  if (phase === "starting") return <p class="notice">Loading …</p>;
  if (phase === "unreachable")
    return (
      <main class="notice">
        <p role="alert">The server cannot be reached.</p>
        <button type="button" class="primary" onClick={enter}>
          Try again
        </button>
      </main>
    );
  return <SignIn problem={problem} />;
}

const root = document.getElementById("root");
if (root) render(<Page />, root);
if ("serviceWorker" in navigator && location.protocol === "https:")
  addEventListener("load", () => void navigator.serviceWorker.register("/service-worker.js"));
