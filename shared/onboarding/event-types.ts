import { list, literal, strictObject, type Value } from "../schema/params.ts";
import { onboardingStepObject } from "./onboarding.ts";

export const onboardingStepsEvent = strictObject({
  type: literal("onboarding_steps"),
  onboarding_steps: list(onboardingStepObject),
});

declare module "../schema/event-types.ts" {
  interface UnchangedEvents {
    onboardingSteps: Value<typeof onboardingStepsEvent>;
  }
}
