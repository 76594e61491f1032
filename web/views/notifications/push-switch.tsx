import { useEffect } from "preact/hooks";
import { t } from "../../base/languages/language.ts";
import { useChosen } from "../../parts/fields/chosen.ts";
import { tryTo } from "../../session/toasts.ts";
import { type PushState, pushState, subscribeToPush, unsubscribeFromPush, updatePushState } from "./push.ts";

/** Why this browser cannot be notified, and what the user can do about it. */
export function whyUnavailable(state: PushState): string | undefined {
  if (state === "denied") return t("Notifications of this page are blocked. Allow them in the browser's settings.");
  if (state === "uninstalled")
    return t(
      "On an iPhone or iPad, first add Skein to the Home Screen (Share, then “Add to Home Screen”), and open it there.",
    );
  if (state !== "unsupported") return undefined;
  return window.isSecureContext
    ? t("This browser cannot be notified while Skein is closed.")
    : t("Browsers only allow this on pages served over HTTPS.");
}

/** Switches notifications of this browser while the page is closed. */
export function PushSwitch() {
  const state = pushState.value;
  useEffect(() => void updatePushState(), []);
  const [isOn, choose] = useChosen(state === "on", async (value) => {
    const succeeded = await tryTo(value ? subscribeToPush : unsubscribeFromPush);
    return succeeded && (pushState.value === "on") === value;
  });
  const reason = whyUnavailable(state);
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={isOn}
          disabled={reason !== undefined}
          aria-describedby={reason && "push-unavailable"}
          onChange={(event) => choose(event.currentTarget.checked)}
        />
        {t("Notify me on this device while Skein is closed")}
      </label>
      {reason && (
        <p class="quiet small" id="push-unavailable">
          {reason}
        </p>
      )}
    </>
  );
}
