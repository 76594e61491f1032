import { get } from "node:http";
import { beforeAll, expect, test } from "vitest";
import { send } from "../support/http.ts";
import { target } from "../support/target.ts";
import { aPerson, call, localTest, type Person } from "../support/world.ts";

/** Names that only an attacker would send. */

let iago: Person;
beforeAll(async () => {
  iago = await aPerson("Iago");
});
const longName = "x".repeat(3000);
const range = { anchor: "newest", num_before: 1, num_after: 0 };

test("an email address that is too long gets the same error as an unknown one", async () => {
  const reply = await call(
    "GET",
    "/scheduled_messages",
    {},
    { credentials: { email: `${longName}@globe.test`, apiKey: "a".repeat(32) } },
  );

  expect(reply).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED", msg: "Invalid API key" } });
});

test.each([
  [
    "a channel",
    "POST",
    "/messages",
    { type: "channel", to: longName, topic: "t", content: "c" },
    "STREAM_DOES_NOT_EXIST",
  ],
  ["an address", "POST", "/messages", { type: "direct", to: [`${longName}@a.test`], content: "c" }, "BAD_REQUEST"],
  ["a channel in a narrow", "GET", "/messages", { ...range, narrow: [["channel", longName]] }, "BAD_NARROW"],
  ["a sender in a narrow", "GET", "/messages", { ...range, narrow: [["sender", `${longName}@a.test`]] }, "BAD_NARROW"],
])("%s with a name of 3,000 letters is not found", async (_, method, path, params, code) => {
  expect(await iago.call(method, path, params)).toMatchObject({ status: 400, body: { code } });
});

test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
  "%s is not found as an operator or parameter",
  async (name) => {
    expect(await iago.call("GET", "/messages", { ...range, narrow: [[name, "x"]] })).toMatchObject({
      status: 400,
      body: { code: "BAD_NARROW", msg: `Invalid narrow operator: unknown operator ${name}` },
    });
    const reply = await send("GET", `/api/v1/server_settings?${name}=1`, undefined, {});
    expect(reply.body.ignored_parameters_unsupported).toEqual([name]);
  },
);

test("a narrow to more people than a conversation can have is refused before anyone is looked up", async () => {
  const dm = Array.from({ length: 81 }, (_, index) => index + 1);

  const reply = await iago.call("GET", "/messages", { ...range, narrow: [{ operator: "dm", operand: dm }] });

  expect(reply).toMatchObject({ status: 400, body: { code: "BAD_NARROW" } });
});

localTest("an emulated gateway handles invalid paths in its own way")("an invalid path returns 404", async () => {
  const { hostname, port } = new URL(target().url);
  for (const path of ["//", "//[", "/%zz", "/api/v1/%E0%A4%A"]) {
    const status = await new Promise((resolve, reject) => {
      get({ hostname, port, path }, (response) => resolve(response.resume().statusCode)).once("error", reject);
    });
    expect(status).toBe(404);
  }
});
