import { expect, test } from "vitest";
import { call } from "../support/world.ts";

test("tells anyone the names of Unicode's emoji, the canonical one first", async () => {
  const { body } = await call("GET", "/emoji_data");

  expect(body.code_to_names["1f604"]).toContain("smile");
  expect(body.code_to_names["2764"][0]).toBe("heart");
});
