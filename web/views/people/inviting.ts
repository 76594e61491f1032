import { computed, signal } from "@preact/signals";
import { state } from "../../session.ts";
import { mayInviteByLink, mayInviteByMail } from "../../state/permissions.ts";
import { lazy } from "../parts/lazy.tsx";

/** The dialog to invite people: whether it is open, and to whom it is offered. */

export const InviteDialog = lazy<{ onClose: () => void }>(async () => (await import("./invite.tsx")).InviteDialog);

export const inviting = signal(false);
export const openInvite = () => {
  inviting.value = true;
};
export const closeInvite = () => {
  inviting.value = false;
};

export const mayInvite = computed(() => {
  const current = state.value;
  return current !== undefined && (mayInviteByMail(current) || mayInviteByLink(current));
});
