import { expect, test } from "vitest";
import { listen } from "../support/listener.ts";
import { aWebhookBot } from "../support/people.ts";
import { aPerson, type Person } from "../support/world.ts";

const mark = (person: Person, onboarding_step: unknown) =>
  person.call("POST", "/users/me/onboarding_steps", { onboarding_step });
const stepsOf = async (person: Person) =>
  (await person.call("POST", "/register", { event_types: ["onboarding_steps"] })).body.onboarding_steps;

test("a step is shown until it is marked, with an event of the remaining steps for the user's other clients", async () => {
  const [viola, olivia] = [await aPerson("Viola"), await aPerson("Olivia")];
  const before = await stepsOf(viola);
  const [listener, otherListener] = [await listen(viola), await listen(olivia)];
  expect(before).toHaveLength(9);
  expect(before[0]).toEqual({ type: "one_time_notice", name: "visibility_policy_banner" });
  expect(before[8]).toEqual({ type: "one_time_action", name: "narrow_to_dm_with_welcome_bot_new_user" });

  expect((await mark(viola, "intro_inbox_view_modal")).body).toEqual({ result: "success", msg: "" });

  const remaining = before.filter(({ name }: any) => name !== "intro_inbox_view_modal");
  expect(await listener.next("onboarding_steps")).toMatchObject({ onboarding_steps: remaining });
  expect(await stepsOf(viola)).toEqual(remaining);
  expect(await stepsOf(olivia)).toEqual(before);
  expect((await otherListener.poll()).map(({ type }: any) => type)).not.toContain("onboarding_steps");
});

test("marking a step again has no effect, and the video step is accepted but never shown", async () => {
  const viola = await aPerson("Viola");
  await mark(viola, "intro_resolve_topic");
  const listener = await listen(viola);

  expect((await mark(viola, "intro_resolve_topic")).status).toBe(200);
  expect((await mark(viola, "navigation_tour_video")).status).toBe(200);

  const received = await listener.next("onboarding_steps");
  expect(received.onboarding_steps.map(({ name }: any) => name)).not.toContain("navigation_tour_video");
  expect(received.onboarding_steps).toHaveLength(8);
  expect((await listener.poll()).map(({ type }: any) => type)).not.toContain("onboarding_steps");
});

test("marking returns 400 for an unknown step, a missing step and a bot", async () => {
  const viola = await aPerson("Viola");
  const refused = (msg: string) => ({ status: 400, body: { result: "error", code: "BAD_REQUEST", msg } });

  expect(await mark(viola, "intro")).toMatchObject(refused("Unknown onboarding_step: intro"));
  expect(await viola.call("POST", "/users/me/onboarding_steps")).toMatchObject({
    status: 400,
    body: { msg: "Missing 'onboarding_step' argument" },
  });
  expect(await stepsOf(viola)).toHaveLength(9);
  const bot = await aWebhookBot("Cesario", viola, "https://bot.test/");
  expect(await mark(bot, "intro_resolve_topic")).toMatchObject(refused("This endpoint does not accept bot requests."));
});
