import { useComputed } from "@preact/signals";
import { t } from "../../base/languages/language.ts";
import { Avatar } from "../../parts/parts.tsx";
import { ownUser } from "../../session/store.ts";
import { discard, explainFailure, isWaiting, retry, takeBack } from "../../session/unsent/delivery.ts";
import { outgoing, type UnsentMessage } from "../../session/unsent/unsent-messages.ts";
import { compose } from "../compose/compose-state.ts";

/** A message that is being sent, waits for the connection, or could not be sent. */
export function OutgoingRow({ message }: { message: UnsentMessage }) {
  const { id, text, sending } = message;
  const user = ownUser.value;
  // A message that is not among the outgoing ones any more has been accepted.
  const isHeldUp = useComputed(() => isWaiting.value && outgoing.value.some((other) => other.id === id)).value;
  const failure = sending?.failure;
  const status = failure !== undefined ? t("not sent") : isHeldUp ? t("waiting for the connection") : t("sending …");
  return (
    <article class={`message outgoing ${failure !== undefined ? "failed" : ""}`} aria-label={t("A message being sent")}>
      <div class="message-side">
        <Avatar user={user} />
      </div>
      <div class="message-main">
        <header class="message-head">
          <span class="sender">{user?.full_name}</span>
          <span class="message-time">{status}</span>
        </header>
        <p class="outgoing-text">{text}</p>
        {(failure !== undefined || isHeldUp) && (
          <p
            class={failure === undefined ? "quiet small" : "problem"}
            role={failure === undefined ? undefined : "alert"}
          >
            {failure === undefined
              ? t("It will be sent as soon as the server can be reached.")
              : explainFailure(failure)}{" "}
            <button type="button" onClick={() => retry(message)}>
              {t("Try again")}
            </button>{" "}
            <button type="button" onClick={() => compose.resume(takeBack(message))}>
              {t("Edit")}
            </button>{" "}
            <button type="button" onClick={() => discard(id)}>
              {t("Discard")}
            </button>
          </p>
        )}
      </div>
    </article>
  );
}
