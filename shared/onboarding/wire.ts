import type { Caller } from "../identity/caller.ts";
import { oneOf, strictObject, text, type Value } from "../schema/params.ts";
import { onboardingStepsKey, readShortList } from "../store/organization/short-lists.ts";

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
export const stepNames: ReadonlySet<string> = new Set([...steps.map(({ name }) => name), "navigation_tour_video"]);

export const onboardingStepObject = strictObject({ type: oneOf(["one_time_notice", "one_time_action"]), name: text() });
export type OnboardingStepObject = Value<typeof onboardingStepObject>;

export const unseenSteps = (seen: readonly string[]): OnboardingStepObject[] =>
  steps.filter(({ name }) => !seen.includes(name));

/** The initial state. 1 read unit. */
export const onboardingState = async (caller: Pick<Caller, "id">) => ({
  onboarding_steps: unseenSteps((await readShortList(onboardingStepsKey(caller.id))).entries),
});
