import { describe, expect, test } from "vitest";
import { creationLimits } from "../../shared/base/creation-limits.ts";
import { withBoundedDescriptions } from "../../shared/core/channels/descriptions.ts";
import { creationWindow } from "../../shared/services/identity/creation-counts.ts";
import { addRequests } from "../../shared/store/users/request-counts.ts";
import { unique } from "../support/unique.ts";
import { aPerson, type Person } from "../support/world.ts";

/** Limits on the number of channels, because every client receives all of them. */

test("a member can create a limited number of channels a day by any endpoint, an administrator many more", async () => {
  const [timon, flavius] = [await aPerson("Timon"), await aPerson("Flavius", { role: "administrator" })];
  for (const { id } of [timon, flavius])
    await addRequests(creationWindow("channel", { id }), Date.now() / 1000, creationLimits.channel.perDay - 2);
  const subscribe = (count: number) =>
    timon.call("POST", "/users/me/subscriptions", {
      subscriptions: Array.from({ length: count }, () => ({ name: unique("crowd") })),
    });
  const create = (person: Person) =>
    person.call("POST", "/channels/create", { name: unique("crowd"), subscribers: [person.id] });
  const msg = `You can create at most ${creationLimits.channel.perDay} channels a day.`;
  const refusal = { status: 429, body: { code: "RATE_LIMIT_HIT", msg } };

  expect(await subscribe(3)).toMatchObject(refusal);
  expect((await subscribe(1)).status).toBe(200);
  expect((await create(timon)).status).toBe(200);
  expect(await create(timon)).toMatchObject(refusal);
  expect(await subscribe(1)).toMatchObject(refusal);
  for (let n = 0; n < 3; n++) expect((await create(flavius)).status).toBe(200);
});

describe("descriptions in a list of channels", () => {
  const channel = (text: string) => ({ description: text, renderedDescription: `<p>${text}</p>` });
  const bytes = (channels: readonly ReturnType<typeof channel>[]) => Buffer.byteLength(JSON.stringify(channels));

  test("are complete while they fit", () => {
    const channels = [channel("short"), channel("x".repeat(400))];

    expect(withBoundedDescriptions(channels, 1000)).toEqual(channels);
  });

  test("are truncated if they are long, and stay safe HTML", () => {
    const channels = [channel("short"), ...Array.from({ length: 20 }, () => channel("<b>é&".repeat(200)))];

    const bounded = withBoundedDescriptions(channels, 5000);

    expect(bounded[0]).toEqual(channels[0]);
    expect(bounded[1]?.description).toMatch(/^<b>é&.*…$/);
    expect(bounded[1]?.renderedDescription).toMatch(/^<p>&lt;b&gt;é&amp;.*…<\/p>$/);
    expect(bytes(bounded)).toBeLessThan(7000);
    expect(bytes(withBoundedDescriptions(channels, 0))).toBeLessThan(1200);
  });
});
