import { list, literal, strictObject } from "../../base/schema/params.ts";
import { onboardingStepObject } from "./onboarding.ts";

export const onboardingStepsEvent = strictObject({
  type: literal("onboarding_steps"),
  onboarding_steps: list(onboardingStepObject),
});
