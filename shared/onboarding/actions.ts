import { badRequest } from "../errors.ts";
import { eventForUser } from "../store/log/entry.ts";
import { changeShortList, onboardingStepsKey } from "../store/organization/short-lists.ts";
import { stepNames, stepsWithout } from "./wire.ts";

/** Notes that a person has seen a step; all of their clients are told what is left. Seen already, it does nothing. */
export async function markStepSeen(userId: number, step: string): Promise<void> {
  if (!stepNames.has(step)) throw badRequest(`Unknown onboarding_step: ${step}`);
  await changeShortList(onboardingStepsKey(userId), ({ entries }) => {
    if (entries.includes(step)) return { entries, events: [], result: undefined };
    const seen = [...entries, step];
    const event = { type: "onboarding_steps" as const, onboarding_steps: stepsWithout(seen) };
    return { entries: seen, events: [eventForUser(userId, event)], result: undefined };
  });
}
