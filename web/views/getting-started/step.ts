import { computed } from "@preact/signals";
import { call } from "../../session/session.ts";
import { unseenSteps } from "../../session/store.ts";

/** The step of the API that stands for the first steps: the server remembers for each user that it was seen. */
const step = "intro_inbox_view_modal";

/** Whether the user has neither done the first steps nor put them away. */
export const isGettingStarted = computed(() => unseenSteps.value?.has(step) === true);

export const endGettingStarted = () => call("POST /users/me/onboarding_steps", { onboarding_step: step });
