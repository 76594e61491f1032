import { beforeAll, describe, expect, test } from "vitest";
import { type FleetMember, isRecurring, isWorker, loadFleet } from "../../../infra/fleet.ts";
import { allOf, synthesized, type Template } from "./synthesized.ts";

/** The templates of workers for mail, in fleets with and without it. */

const mail = { mailFrom: "skein@globe.test" };
const alarms = { alarmsTo: "operator@globe.test" };

let fleet: FleetMember[];
beforeAll(async () => {
  // Only functions that poll or recur, because few functions synthesize quickly.
  fleet = (await loadFleet()).filter((member) => isWorker(member) || isRecurring(member) || member.kind === "fallback");
});

/** The polled queues, and the numbers of mappings and of enabled and disabled schedules. */
function summaryOf(templates: readonly Template[]) {
  const mappings = allOf(templates, "AWS::Lambda::EventSourceMapping").filter(
    ({ Properties }) => !Properties.StartingPosition,
  );
  const queueOf = (arn: unknown) => /Queue([a-z]+)Jobs/.exec(JSON.stringify(arn).replaceAll(/[^A-Za-z]/g, ""))?.[1];
  const schedules = allOf(templates, "AWS::Scheduler::Schedule").map(({ Properties }) => Properties);
  return {
    mappings: mappings.length,
    polled: mappings
      .flatMap(({ Properties }) => (Properties.Enabled ? [queueOf(Properties.EventSourceArn)] : []))
      .sort(),
    enabled: schedules.filter(({ State }) => State === "ENABLED").length,
    disabled: schedules.filter(({ State }) => State === "DISABLED").length,
  };
}

const alwaysPolled = ["backgroundjobs", "deliveries", "outgoing", "previews"];

describe("workers and recurring work of services that are not set up are idle", () => {
  test.each([
    ["no mail", {}, alwaysPolled, 2],
    ["mail", mail, [...alwaysPolled, "mail"], 1],
    ["alarms", alarms, alwaysPolled, 1],
    ["mail that comes in", { mailDomain: "chat.globe.test" }, alwaysPolled, 2],
  ])("with %s, only the queues of its workers are polled", async (_, context, polled, disabled) => {
    const { templates } = await synthesized(fleet, context);

    const schedules = fleet.filter(isRecurring).length;
    expect(summaryOf(templates)).toEqual({
      mappings: 5,
      polled: polled.toSorted(),
      enabled: schedules - disabled,
      disabled,
    });
  });
});

test("failed runs of the scheduled smoke test are only counted, and not repeated", async () => {
  const { templates } = await synthesized(fleet, alarms);

  const withoutRetries = allOf(templates, "AWS::Lambda::EventInvokeConfig").filter(
    ({ Properties }) => Properties.MaximumRetryAttempts === 0,
  );
  expect(withoutRetries.map(({ Properties }) => Properties.DestinationConfig)).toEqual([undefined]);
});
