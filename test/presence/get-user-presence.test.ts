import { expect, test } from "vitest";
import { aPerson } from "../support/world.ts";

test("returns when a user was last active, by ID and by address", async () => {
  const [claudio, hero] = await Promise.all([aPerson("Claudio"), aPerson("Hero")]);
  await hero.do("POST", "/users/me/presence", { status: "active" });

  const byId = await claudio.call("GET", `/users/${hero.id}/presence`);
  const byEmail = await claudio.call("GET", `/users/${hero.email}/presence`);

  const times = { status: "active", timestamp: expect.any(Number) };
  expect(byId.body.presence).toEqual({ aggregated: times, website: times });
  expect(byEmail.body).toEqual(byId.body);
});

test("returns an error for an unknown user and for a user without presence", async () => {
  const [claudio, ghost] = await Promise.all([aPerson("Claudio"), aPerson("Ghost")]);
  const presenceOf = async (idOrEmail: string | number) =>
    (await claudio.call("GET", `/users/${idOrEmail}/presence`)).body;

  expect(await presenceOf(ghost.id)).toMatchObject({ code: "BAD_REQUEST", msg: `No presence data for ${ghost.id}` });
  expect(await presenceOf(ghost.email)).toMatchObject({ msg: `No presence data for ${ghost.email}` });
  expect(await presenceOf("nobody@nowhere.test")).toMatchObject({ code: "BAD_REQUEST", msg: "No such user" });
  expect(await presenceOf(1_000_000_007)).toMatchObject({ msg: "No such user" });
});
