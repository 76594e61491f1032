import { hasReturned, noteInput, statusToReport } from "./activity.ts";
import { areTooMany, askAtSocket, isAtSocket } from "./events.ts";
import { call } from "./session.ts";
import { currentState, dispatch, state } from "./store.ts";

/**
 * Reports whether the user is active, and asks for the presence of others. While the page waits at a WebSocket, both come with
 * its acknowledgements, every four minutes, and at once when the user returns. Otherwise, and for the presences of a large
 * organization, which are too many for a message, the page makes requests.
 */

const firstCheckMs = 5_000;
const pingIntervalMs = 60_000;
const socketPingIntervalMs = 240_000;
const inputEvents = ["keydown", "mousemove", "touchstart", "focus"];

/** Starts to report; returns a function that stops this. */
export function startPresence(): () => void {
  let lastPingAtMs = 0;
  const isDue = () =>
    !isAtSocket() || (areTooMany() && !document.hidden && Date.now() - lastPingAtMs >= socketPingIntervalMs);
  const ping = async () => {
    if (!state.value) return;
    lastPingAtMs = Date.now();
    const status = statusToReport();
    const reply = await call("POST /users/me/presence", {
      status,
      new_user_input: status === "active",
      // Nobody looks at a hidden page.
      ping_only: document.hidden,
      last_update_id: currentState().presenceUpdateId,
    });
    if (state.value && reply.presences) dispatch({ kind: "presences", answer: reply, nowMs: Date.now() });
  };
  // A failed ping is ignored: there is another in a minute.
  const check = () => (isDue() ? ping().catch(() => {}) : undefined);
  const onInput = () => {
    noteInput();
    if (hasReturned() && !askAtSocket()) ping().catch(() => {});
  };
  // By then the page usually waits at a WebSocket, and has reported its user.
  const first = setTimeout(check, firstCheckMs);
  const timer = setInterval(check, pingIntervalMs);
  for (const type of inputEvents) addEventListener(type, onInput, { passive: true });
  return () => {
    clearTimeout(first);
    clearInterval(timer);
    for (const type of inputEvents) removeEventListener(type, onInput);
  };
}
