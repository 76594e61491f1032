import { expect, test } from "vitest";
import { loadFleet } from "../../infra/fleet.ts";
import { allOf, synthesized } from "./synthesized.ts";

/** What an operator chooses, in the templates. */

/** All that the ways to wait concern: a few functions synthesize in a moment. */
const aPart = async () =>
  (await loadFleet()).filter(({ resource }) => ["events", "presence", "server"].includes(resource));

test("a setting lets functions wait with clients: then there are no bells, no stream and none who ring", async () => {
  const fleet = await aPart();
  const { templates } = await synthesized(fleet, { waiting: "held" });

  const atBells = fleet.filter(({ spec }) => "waiting" in spec && spec.waiting === "bell");
  expect(atBells.map(({ name }) => name)).toEqual(["look-for-events", "ring-bells", "sweep-bells"]);
  expect(allOf(templates, "AWS::Lambda::Function")).toHaveLength(fleet.length - atBells.length);
  expect(JSON.stringify(templates)).not.toMatch(/-bell-|BELLS_URL|StreamSpecification|SQS-ReceiveMessage/);
});

test("a setting lets a host that runs all the time answer GET /events, and no function", async () => {
  const fleet = await aPart();
  const { templates } = await synthesized(fleet, { waiting: "host", eventsHost: "https://events.example.com" });

  const proxied = allOf(templates, "AWS::ApiGatewayV2::Integration").filter(
    ({ Properties }) => Properties.IntegrationType === "HTTP_PROXY",
  );
  expect(proxied.map(({ Properties }) => Properties.IntegrationUri)).toEqual([
    "https://events.example.com/api/v1/events",
  ]);
  const routes = allOf(templates, "AWS::ApiGatewayV2::Route").map(({ Properties }) => Properties.RouteKey);
  expect(routes.filter((key) => key === "GET /api/v1/events")).toHaveLength(1);
  expect(allOf(templates, "AWS::Lambda::Function")).toHaveLength(fleet.length - 4);
});

test("a setting tells every function that may show presence whether it is limited", async () => {
  const { templates } = await synthesized(await aPart(), { limitPresence: "true", waiting: "held" });

  const limited = allOf(templates, "AWS::Lambda::Function")
    .filter(({ Properties }) => Properties.Environment?.Variables.SKEIN_LIMIT_PRESENCE === "true")
    .map(({ Properties }) => Properties.Description);
  expect(limited).toEqual(
    expect.arrayContaining([
      "presence/get-realm-presence",
      "presence/get-user-presence",
      "presence/update-presence",
      "events/register-queue",
      "events/get-events",
    ]),
  );
});
