import { sessionSignal } from "../session/session.ts";

/** The ID of the user whose card is open. */
export const openUserId = sessionSignal<number | undefined>(undefined);
export const openProfile = (userId: number) => {
  openUserId.value = userId;
};

export const closeProfile = () => {
  openUserId.value = undefined;
};
