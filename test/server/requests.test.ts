import { beforeAll, expect, test } from "vitest";
import { transact } from "../../shared/store/table/transactions.ts";
import { updateAccount } from "../../shared/store/users/accounts.ts";
import { send } from "../support/http.ts";
import { aPerson, call, isLocal, type Person } from "../support/world.ts";

/** Behaviour of every endpoint: credentials, parameter encodings, hostile bodies. */

let falstaff: Person;
beforeAll(async () => {
  falstaff = await aPerson("Falstaff");
});

const basic = (text: string) => ({ headers: { authorization: `Basic ${Buffer.from(text).toString("base64")}` } });

test.each([
  ["no credentials", {}, "Not logged in: API authentication or user session required"],
  [
    "another authorization scheme",
    { headers: { authorization: "Bearer abc" } },
    "Not logged in: API authentication or user session required",
  ],
  ["credentials that are not base64", { headers: { authorization: "Basic !!!" } }, "Invalid API key"],
  ["credentials without a colon", basic("falstaff"), "Invalid API key"],
  ["a key of the wrong form", basic("falstaff@globe.test:short"), "Malformed API key"],
  ["an unknown user", basic(`yorick@globe.test:${"a".repeat(32)}`), "Invalid API key"],
])("a request with %s is refused", async (_, options, msg) => {
  const reply = await call("GET", "/scheduled_messages", {}, options);

  expect(reply.status).toBe(401);
  expect(reply.body).toEqual({ result: "error", code: "UNAUTHORIZED", msg });
  expect(reply.headers["www-authenticate"]).toBe('Basic realm="zulip"');
});

test("a wrong key, or the key of another user, is refused", async () => {
  const bardolph = await aPerson("Bardolph");
  for (const apiKey of ["a".repeat(32), bardolph.apiKey]) {
    const reply = await call("GET", "/scheduled_messages", {}, { credentials: { email: falstaff.email, apiKey } });
    expect(reply).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED", msg: "Invalid API key" } });
  }
});

test("deactivation and reactivation take effect with the next request", async () => {
  const bardolph = await aPerson("Bardolph");
  expect((await bardolph.call("GET", "/scheduled_messages")).status).toBe(200);

  await transact([updateAccount(bardolph.email, { set: { active: false } })]);
  expect(await bardolph.call("GET", "/scheduled_messages")).toMatchObject({
    status: 401,
    body: { code: "UNAUTHORIZED", msg: "Account is deactivated" },
  });

  await transact([updateAccount(bardolph.email, { set: { active: true } })]);
  expect((await bardolph.call("GET", "/scheduled_messages")).status).toBe(200);
});

test("the address is matched ignoring case", async () => {
  const reply = await call(
    "GET",
    "/scheduled_messages",
    {},
    { credentials: { email: falstaff.email.toUpperCase(), apiKey: falstaff.apiKey } },
  );

  expect(reply.status).toBe(200);
});

const message = () => ({ type: "direct", to: JSON.stringify([falstaff.id]), content: "sack & <sugar> ünd 🍷" });
const lastContent = async () =>
  (await falstaff.call("GET", "/messages", { anchor: "newest", num_before: 1, num_after: 0, apply_markdown: false }))
    .body.messages[0].content;

test("parameters are read from a form, multipart or the query, and the body takes precedence", async () => {
  const credentials = { email: falstaff.email, apiKey: falstaff.apiKey };
  const form = new FormData();
  for (const [name, value] of Object.entries(message())) form.set(name, value);
  const request = new Request("http://localhost", { method: "POST", body: form });
  const multipart = Buffer.from(await request.arrayBuffer());
  const type = request.headers.get("content-type") as string;

  const asMultipart = await send("POST", "/api/v1/messages", multipart, {
    credentials,
    headers: { "content-type": type },
  });
  const asQuery = await send("POST", `/api/v1/messages?${new URLSearchParams(message())}`, "", { credentials });
  const asBoth = await send("POST", "/api/v1/messages?content=query", new URLSearchParams(message()).toString(), {
    credentials,
  });

  expect([asMultipart.status, asQuery.status, asBoth.status]).toEqual([200, 200, 200]);
  expect(await lastContent()).toBe(message().content);
});

test("IDs in paths must be decimal integers, not any JSON number", async () => {
  for (const id of ["1.0", "1e0", "%201", "0x1", "null", "[1]", "1_000", "9".repeat(30)]) {
    const replies = await Promise.all([
      falstaff.call("GET", `/streams/${id}`),
      falstaff.call("GET", `/users/${falstaff.id}/subscriptions/${id}`),
    ]);
    for (const { status, body } of replies)
      expect([id, status, body]).toEqual([
        id,
        400,
        { result: "error", code: "BAD_REQUEST", msg: "stream_id is not an integer" },
      ]);
  }
  const { body } = await falstaff.call("GET", "/streams/-1");
  expect(body.msg).toBe("Invalid channel ID");
});

test.each([
  ["a broken multipart body", "--x\r\nrubbish", { "content-type": "multipart/form-data; boundary=y" }, 400],
  ["a form of another encoding", Buffer.from([0xff, 0xfe, 0x00, 0x3d]), {}, 400],
  ["a JSON body", '{"type":"direct"}', { "content-type": "application/json" }, 400],
  ["a thousand parameters", Array.from({ length: 1000 }, (_, i) => `p${i}=1`).join("&"), {}, 400],
])("answers %s with an error in the envelope", async (_, body, headers, status) => {
  const reply = await send("POST", "/api/v1/messages", body, {
    credentials: { email: falstaff.email, apiKey: falstaff.apiKey },
    headers,
  });

  expect(reply).toMatchObject({ status, body: { result: "error", code: expect.any(String) } });
});

test("a body over the gateway's limit is refused with status 413", async () => {
  const reply = await send("POST", "/api/v1/messages", `content=${"x".repeat(5_600_000)}`, {
    credentials: { email: falstaff.email, apiKey: falstaff.apiKey },
  });

  expect(reply.status).toBe(413);
});

test.skipIf(!isLocal())(
  "an encoded slash stays within its segment (MiniStack decodes the path before it routes)",
  async () => {
    const reply = await falstaff.call("DELETE", "/scheduled_messages/1%2F2");

    expect(reply).toMatchObject({ status: 400, body: { msg: "scheduled_message_id is not an integer" } });
  },
);
