import { expect, test } from "vitest";
import { aPerson, call } from "../support/world.ts";

test("returns 400 because no BigBlueButton server is configured, and 401 without credentials", async () => {
  const ann = await aPerson("Ann");

  expect(await ann.call("GET", "/calls/bigbluebutton/create", { meeting_name: "x" })).toMatchObject({
    status: 400,
    body: { result: "error", code: "BAD_REQUEST", msg: "BigBlueButton is not configured." },
  });
  expect(await call("GET", "/calls/bigbluebutton/create")).toMatchObject({ status: 401 });
});
