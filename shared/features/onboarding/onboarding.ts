import { badRequest } from "../../base/errors.ts";
import { oneOf, strictObject, text, type Value } from "../../base/schema/params.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { eventForUser } from "../../store/log/entry.ts";
import type { Change } from "../../store/log/log.ts";
import { onboardingStepsKey, readShortList, shortListChange } from "../../store/organization/short-lists.ts";

/**
 * Notices and introductions that clients show each user once: the steps of Zulip's API at feature level 420, in
 * the same order, except its video, which Skein does not have.
 */
const steps = [
  { type: "one_time_notice", name: "visibility_policy_banner" },
  { type: "one_time_notice", name: "intro_inbox_view_modal" },
  { type: "one_time_notice", name: "intro_recent_view_modal" },
  { type: "one_time_notice", name: "first_stream_created_banner" },
  { type: "one_time_notice", name: "jump_to_conversation_banner" },
  { type: "one_time_notice", name: "non_interleaved_view_messages_fading" },
  { type: "one_time_notice", name: "interleaved_view_messages_fading" },
  { type: "one_time_notice", name: "intro_resolve_topic" },
  { type: "one_time_action", name: "narrow_to_dm_with_welcome_bot_new_user" },
] as const;

/** The steps that a client may mark as seen, including Zulip's video. */
const stepNames: ReadonlySet<string> = new Set([...steps.map(({ name }) => name), "navigation_tour_video"]);

export const onboardingStepObject = strictObject({ type: oneOf(["one_time_notice", "one_time_action"]), name: text() });
type OnboardingStepObject = Value<typeof onboardingStepObject>;

const unseenSteps = (seen: readonly string[]): OnboardingStepObject[] =>
  steps.filter(({ name }) => !seen.includes(name));

/** The initial state. 1 read unit. */
export const onboardingState = async (caller: Pick<Caller, "id">) => ({
  onboarding_steps: unseenSteps((await readShortList(onboardingStepsKey(caller.id))).entries),
});

/** Records that a user has seen an onboarding step, with an event to all of their clients; undefined if it is recorded already. */
export async function markStepSeen(userId: number, step: string): Promise<Change | undefined> {
  if (!stepNames.has(step)) throw badRequest(`Unknown onboarding_step: ${step}`);
  const list = await readShortList(onboardingStepsKey(userId));
  if (list.entries.includes(step)) return undefined;
  const entries = [...list.entries, step];
  const event = { type: "onboarding_steps" as const, onboarding_steps: unseenSteps(entries) };
  return shortListChange(onboardingStepsKey(userId), list, { entries, events: [eventForUser(userId, event)] });
}
