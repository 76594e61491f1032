import { computed, signal } from "@preact/signals";
import { state } from "../../session/session.ts";
import { mayInviteByLink, mayInviteByMail } from "../../state/permissions.ts";

/** The dialog to invite people: whether it is open, and whether the user may open it. */

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
