/** Whether the user is at the page, and what the server was told about it. */

export type UserStatus = "active" | "idle";

const inputHoldsMs = 60_000;

let lastInputAtMs = Date.now();
let reported: UserStatus | undefined;

export function noteInput(): void {
  lastInputAtMs = Date.now();
}

/** A focused window counts as active even without input: its user may be reading. */
function statusNow(): UserStatus {
  if (document.visibilityState !== "visible") return "idle";
  return document.hasFocus() || Date.now() - lastInputAtMs < inputHoldsMs ? "active" : "idle";
}

/** The user's status, which the caller reports to the server. */
export function statusToReport(): UserStatus {
  reported = statusNow();
  return reported;
}

/** Whether the user is active again, and the server still believes otherwise. */
export const hasReturned = (): boolean => reported === "idle" && statusNow() === "active";
