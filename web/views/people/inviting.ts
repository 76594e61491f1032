import { computed, signal } from "@preact/signals";
import { state } from "../../session.ts";
import { mayInviteByLink, mayInviteByMail } from "../../state/permissions.ts";
import { lazy } from "../parts/lazy.tsx";

/** The dialog to invite people: whether it is open, and whether the user may open it. */

export const InviteDialog = lazy<{ onClose: () => void }>(async () => (await import("./invite.tsx")).InviteDialog);

export const isInviteOpen = signal(false);
export const openInvite = () => {
  isInviteOpen.value = true;
};
export const closeInvite = () => {
  isInviteOpen.value = false;
};

export const mayInvite = computed(() => {
  const current = state.value;
  return current !== undefined && (mayInviteByMail(current) || mayInviteByLink(current));
});
