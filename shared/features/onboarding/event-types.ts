import { list, literal, strictObject, type Value } from "../../base/schema/params.ts";
import { onboardingStepObject } from "./onboarding.ts";

export const onboardingStepsEvent = strictObject({
  type: literal("onboarding_steps"),
  onboarding_steps: list(onboardingStepObject),
});

declare module "../../base/schema/event-types.ts" {
  interface EventsSentAsLogged {
    onboarding_steps: Value<typeof onboardingStepsEvent>;
  }
}
