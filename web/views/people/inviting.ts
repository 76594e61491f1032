import { computed } from "@preact/signals";
import { sessionSignal } from "../../session/session.ts";
import { state } from "../../session/store.ts";
import { mayInviteByLink, mayInviteByMail } from "../../state/permissions.ts";

/** The dialog to invite people: whether it is open, and whether the user may open it. */

export const isInviteOpen = sessionSignal(false);
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
