import { expect, test } from "vitest";
import { aPerson } from "../support/world.ts";

test("the list is empty before anything is scheduled", async () => {
  const hal = await aPerson("Hal");

  expect((await hal.call("GET", "/scheduled_messages")).body).toEqual({
    result: "success",
    msg: "",
    scheduled_messages: [],
  });
});

test("an unsupported parameter is named", async () => {
  const hal = await aPerson("Hal");

  expect((await hal.call("GET", "/scheduled_messages", { since: 3 })).body.ignored_parameters_unsupported).toEqual([
    "since",
  ]);
});
