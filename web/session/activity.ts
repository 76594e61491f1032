import { perSession } from "./session.ts";

/** Whether the user is at the page, and what the server was told about it. */

export type UserStatus = "active" | "idle";

const inputHoldsMs = 60_000;

let lastInputAtMs = Date.now();
/** What the server was told last. */
const told = perSession(() => ({ status: undefined as UserStatus | undefined }));

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
  const status = statusNow();
  told().status = status;
  return status;
}

/** Whether the user is active again, and the server still believes otherwise. */
export const hasReturned = (): boolean => told().status === "idle" && statusNow() === "active";
