import { badRequest } from "../errors.ts";
import { eventForUser } from "../store/log/entry.ts";
import { changeShortList, onboardingStepsKey } from "../store/organization/short-lists.ts";
import { stepNames, unseenSteps } from "./wire.ts";

/** Records that a user has seen an onboarding step, with an event to all of their clients. Idempotent. */
export async function markStepSeen(userId: number, step: string): Promise<void> {
  if (!stepNames.has(step)) throw badRequest(`Unknown onboarding_step: ${step}`);
  await changeShortList(onboardingStepsKey(userId), ({ entries }) => {
    if (entries.includes(step)) return { entries, events: [] };
    const seen = [...entries, step];
    const event = { type: "onboarding_steps" as const, onboarding_steps: unseenSteps(seen) };
    return { entries: seen, events: [eventForUser(userId, event)] };
  });
}
