import { signal } from "@preact/signals";

/** The ID of the user whose card is open. */
export const openUserId = signal<number | undefined>(undefined);
export const openProfile = (userId: number) => {
  openUserId.value = userId;
};

export const closeProfile = () => {
  openUserId.value = undefined;
};
