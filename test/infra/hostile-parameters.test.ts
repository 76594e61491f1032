import { beforeAll, describe, expect, test } from "vitest";
import { send } from "../support/http.ts";
import { aBot, anAddress } from "../support/people.ts";
import { aChannel, aPerson, call, type Person } from "../support/world.ts";

/** Tests the checks that the parameter schemas make for every endpoint. */

let hamlet: Person;
beforeAll(async () => {
  hamlet = await aPerson("Hamlet");
});
const basic = ({ email, apiKey }: Person) => `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`;

describe("a form", () => {
  test("with more than a thousand parameters is refused before it is parsed", async () => {
    const body = Array.from({ length: 50_000 }, (_, index) => `n${index}=x`).join("&");
    const startedAt = Date.now();

    const reply = await send("POST", "/api/v1/users/me/presence", body, { headers: { authorization: basic(hamlet) } });

    expect(reply).toMatchObject({ status: 400, body: { msg: "Too many parameters (limit: 1000)" } });
    expect(Date.now() - startedAt).toBeLessThan(10_000);
  });

  test.each([
    "multipart/form-data; boundary=B",
    "multipart/form-data; xboundary=C; boundary=B",
    'multipart/form-data; charset="boundary=C"; boundary="B"',
  ])("of %s with more than a thousand parts is refused", async (type) => {
    const part = (index: number) => `--B\r\ncontent-disposition: form-data; name="n${index}"\r\n\r\nx\r\n`;
    const body = `${Array.from({ length: 2000 }, (_, index) => part(index)).join("")}--B--\r\n`;

    const reply = await send("POST", "/api/v1/users/me/presence", body, {
      headers: { "content-type": type, authorization: basic(hamlet) },
    });

    expect(reply).toMatchObject({ status: 400, body: { msg: "Too many parameters (limit: 1000)" } });
  });

  test("of a part with long headers is refused", async () => {
    const body = `--B\r\ncontent-disposition: form-data; name="${"n".repeat(20_000)}"\r\n\r\nx\r\n--B--\r\n`;

    const reply = await send("POST", "/api/v1/fetch_api_key", body, {
      headers: { "content-type": "multipart/form-data; boundary=B" },
    });

    expect(reply).toMatchObject({
      status: 400,
      body: { msg: "The headers of a part are too long (limit: 16384 bytes)" },
    });
  });

  test("reports at most fifty unknown parameters, with names truncated to a hundred characters", async () => {
    const ignored = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`${index}-${"x".repeat(200)}`, "1"]));

    const { status, body } = await hamlet.call("POST", "/messages/render", { content: "x", ...ignored });

    expect(status).toBe(200);
    expect(body.ignored_parameters_unsupported).toHaveLength(50);
    for (const name of body.ignored_parameters_unsupported) expect(name).toHaveLength(100);
  });

  test("uses the last value of a repeated parameter in the body, and the first in the query", async () => {
    const options = { headers: { authorization: basic(hamlet) } };
    const inBody = await send("POST", "/api/v1/messages/render", "content=one&content=two", options);
    const inQuery = await send("POST", "/api/v1/messages/render?content=one&content=two", "", options);

    expect(inBody.body.rendered).toBe("<p>two</p>");
    expect(inQuery.body.rendered).toBe("<p>one</p>");
  });
});

test("JSON with more than 100,000 values is refused before they are checked one by one", async () => {
  const path = "/api/v1/users/me/subscriptions/properties";
  const refuse = async (json: string) => {
    const body = new URLSearchParams({ subscription_data: json }).toString();
    return (await send("POST", path, body, { credentials: hamlet })).body.msg;
  };
  const wide = Array.from({ length: 10_000 }, () => Array.from({ length: 12 }, () => 1));
  const map = Object.fromEntries(Array.from({ length: 100_001 }, (_, index) => [index, 1]));

  for (const values of [wide, [map], { a: wide }])
    expect(await refuse(JSON.stringify(values))).toBe("subscription_data is too long (limit: 100000 values)");
  // Fewer are checked, however deep they are.
  expect(await refuse("[".repeat(50_000) + "]".repeat(50_000))).toBe("subscription_data[0] is not a dict");
});

const nul = "a\0b";
const loneSurrogate = String.raw`\ud83d`;

describe("text that cannot be stored", () => {
  test.each([
    ["a message", "POST", "/messages/render", { content: nul }, "Message must not contain null bytes"],
    ["a path", "GET", "/user_uploads/1/%00/x", {}, /null bytes/],
    ["an email address", "GET", "/users/a%00b@x.test", {}, "user_id must not contain null bytes"],
    ["a list", "POST", "/users/me/alert_words", { alert_words: [nul] }, /^alert_words\[0\] must not contain/],
    [
      "a narrow",
      "GET",
      "/messages",
      { anchor: "newest", num_before: 1, num_after: 0, narrow: `[["topic","${loneSurrogate}"]]` },
      /Unicode/,
    ],
    [
      "a narrow of objects",
      "GET",
      "/messages",
      { anchor: "newest", num_before: 1, num_after: 0, narrow: `[{"operator":"topic","operand":"${loneSurrogate}"}]` },
      /./,
    ],
    ["a queue's narrow", "POST", "/register", { narrow: `[["topic","${loneSurrogate}"]]` }, /Unicode/],
    [
      "a nested value",
      "PATCH",
      "/users/me/profile_data",
      { data: `[{"id":1,"value":["${loneSurrogate}"]}]` },
      /Unicode/,
    ],
    ["a profile value", "PATCH", "/users/me/profile_data", { data: [{ id: 1, value: nul }] }, /null bytes/],
    ["a status", "POST", "/users/me/status", { status_text: nul }, "status_text must not contain null bytes"],
  ])("is refused in %s", async (_, method, path, params, msg) => {
    const { status, body } = await hamlet.call(method, path, params);

    expect({ status, code: body.code }).toEqual({ status: 400, code: "BAD_REQUEST" });
    expect(body.msg).toMatch(msg);
  });

  test("is refused at any nesting depth", async () => {
    const deep = `${"[".repeat(200_000)}"${loneSurrogate}"${"]".repeat(200_000)}`;

    const reply = await hamlet.call("PATCH", "/users/me/profile_data", { data: `[{"id":1,"value":${deep}}]` });

    expect(reply).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } });
  });
});

describe("names of properties that every JavaScript object has", () => {
  const names = ["__proto__", "constructor", "hasOwnProperty", "toString", "valueOf"];

  test.each(names)("%s is not a property of a subscription", async (property) => {
    const court = await aChannel("court", [hamlet]);

    const reply = await hamlet.call("POST", "/users/me/subscriptions/properties", {
      subscription_data: [{ stream_id: court.id, property, value: true }],
    });

    expect(reply).toMatchObject({ status: 400, body: { msg: `Unknown subscription property: ${property}` } });
  });

  test.each(names)("%s is not accepted as a narrow operator or as an operand of `is`", async (name) => {
    for (const narrow of [[[name, "x"]], [["is", name]]])
      expect(await hamlet.call("POST", "/register", { narrow })).toMatchObject({
        status: 400,
        body: { code: "BAD_REQUEST", msg: expect.stringContaining("not supported") },
      });
    const { body } = await hamlet.call("GET", "/messages", {
      anchor: "newest",
      num_before: 1,
      num_after: 0,
      narrow: [[name, "x"]],
    });
    expect(body).toMatchObject({ code: "BAD_NARROW" });
  });

  test.each(names)("%s is treated as an unknown time zone, language, emoji and parameter", async (name) => {
    const content = `<time:2024-01-01T10:00 ${name}> :${name}:\n\`\`\`${name}\nx\n\`\`\``;

    expect((await hamlet.call("POST", "/messages/render", { content })).status).toBe(200);
    expect((await hamlet.call("POST", "/messages/render", { content: "x", [name]: "y" })).body).toMatchObject({
      ignored_parameters_unsupported: [name],
    });
    const robot = await aBot(hamlet);
    const changed = await hamlet.call("PATCH", `/bots/${robot.id}`, { config_data: `{"${name}":"x","a":"b"}` });
    expect(changed.status).toBe(200);
    expect((await hamlet.call("POST", "/settings", { [name]: true })).status).toBe(405);
    expect((await call("POST", "/fetch_api_key", { username: anAddress(name), password: name })).status).toBe(401);
  });
});

test("a bot's configuration with more than fifty entries is refused", async () => {
  const robot = await aBot(hamlet);
  const entries = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));

  expect((await hamlet.call("PATCH", `/bots/${robot.id}`, { config_data: entries(50) })).status).toBe(200);
  expect(await hamlet.call("PATCH", `/bots/${robot.id}`, { config_data: entries(51) })).toMatchObject({
    status: 400,
    body: { msg: "config_data is too long (limit: 50 entries)" },
  });
});
