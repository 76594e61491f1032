import { expect, test } from "vitest";
import { recordLog } from "../support/channel-log.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

const set = (person: Person, subscription_data: unknown) =>
  person.call("POST", "/users/me/subscriptions/properties", { subscription_data });
const recordOf = async (person: Person, id: number) =>
  (await person.call("GET", "/users/me/subscriptions")).body.subscriptions.find(
    ({ stream_id }: { stream_id: number }) => stream_id === id,
  );

test.each([
  ["color", "#f00"],
  ["color", "#ABCdef"],
  ["pin_to_top", true],
  ["desktop_notifications", true],
  ["audible_notifications", false],
  ["push_notifications", true],
  ["email_notifications", false],
  ["wildcard_mentions_notify", true],
])("%s is set to %s, with an event", async (property, value) => {
  const [portia, other] = [await aPerson("Portia"), await aPerson("Nerissa")];
  const belmont = await aChannel("belmont", [portia, other]);
  const log = await recordLog();

  const reply = await set(portia, [{ stream_id: belmont.id, property, value }]);

  expect(reply.body).toEqual({ result: "success", msg: "" });
  expect(await recordOf(portia, belmont.id)).toMatchObject({ [property]: value });
  expect(changesIn(await log.eventsFor(portia, ["subscription"]))).toEqual([
    { type: "subscription", op: "update", stream_id: belmont.id, property, value },
  ]);
  expect(await log.eventsFor(other, ["subscription"])).toEqual([]);
});

/** The events that change properties, without those of subscriptions that other tests add and remove. */
function changesIn(events: any[]) {
  return events.filter(({ op }) => op === "update");
}

test.each([
  ["is_muted", true, true],
  ["is_muted", false, false],
  ["in_home_view", true, false],
  ["in_home_view", false, true],
])("%s set to %s mutes or unmutes, with events under both names", async (property, value, muted) => {
  const portia = await aPerson("Portia");
  const belmont = await aChannel("belmont", [portia]);
  const log = await recordLog();

  await set(portia, [{ stream_id: belmont.id, property, value }]);

  expect(await recordOf(portia, belmont.id)).toMatchObject({ is_muted: muted, in_home_view: !muted });
  expect(changesIn(await log.eventsFor(portia, ["subscription"]))).toEqual([
    { type: "subscription", op: "update", stream_id: belmont.id, property: "in_home_view", value: !muted },
    { type: "subscription", op: "update", stream_id: belmont.id, property: "is_muted", value: muted },
  ]);
});

test("several properties of several channels are set at once", async () => {
  const portia = await aPerson("Portia");
  const [belmont, venice] = [await aChannel("belmont", [portia]), await aChannel("venice", [portia])];

  await set(portia, [
    { stream_id: belmont.id, property: "pin_to_top", value: true },
    { stream_id: belmont.id, property: "color", value: "#000000" },
    { stream_id: venice.id, property: "is_muted", value: true },
  ]);

  expect(await recordOf(portia, belmont.id)).toMatchObject({ pin_to_top: true, color: "#000000", is_muted: false });
  expect(await recordOf(portia, venice.id)).toMatchObject({ is_muted: true });
});

test("one invalid entry refuses the whole request, without events", async () => {
  const portia = await aPerson("Portia");
  const belmont = await aChannel("belmont", [portia]);
  const [open, closed] = [await aChannel("open", []), await aChannel("closed", [], { inviteOnly: true })];
  const good = { stream_id: belmont.id, property: "pin_to_top", value: true };
  const log = await recordLog();
  const messageOf = async (bad: unknown) => {
    const { status, body } = await set(portia, [good, bad]);
    expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
    return body.msg;
  };

  expect(await messageOf({ ...good, value: "yes" })).toBe("pin_to_top is not a boolean");
  expect(await messageOf({ ...good, property: "color" })).toBe("color is not a string");
  expect(await messageOf({ ...good, property: "color", value: "red" })).toBe("color is not a valid hex color code");
  expect(await messageOf({ ...good, property: "loud" })).toBe("Unknown subscription property: loud");
  expect(await messageOf({ ...good, stream_id: open.id })).toBe(`Not subscribed to channel ID ${open.id}`);
  expect(await messageOf({ ...good, stream_id: closed.id })).toBe("Invalid channel ID");
  expect(await messageOf({ ...good, stream_id: 99_999_999 })).toBe("Invalid channel ID");
  expect(await messageOf({ stream_id: belmont.id, property: "pin_to_top" })).toContain("value");
  expect(await messageOf({ property: "pin_to_top", value: true })).toContain("stream_id");
  expect((await set(portia, "x")).status).toBe(400);

  expect(await recordOf(portia, belmont.id)).toMatchObject({ pin_to_top: false });
  expect(changesIn(await log.eventsFor(portia, ["subscription"]))).toEqual([]);
});

test("unknown parameters are reported, and the request succeeds", async () => {
  const portia = await aPerson("Portia");
  const belmont = await aChannel("belmont", [portia]);

  const reply = await portia.call("POST", "/users/me/subscriptions/properties", {
    subscription_data: [{ stream_id: belmont.id, property: "is_muted", value: true }],
    sparkle: true,
  });

  expect(reply.body).toEqual({ result: "success", msg: "", ignored_parameters_unsupported: ["sparkle"] });
});
