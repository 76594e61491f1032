import { expect, test } from "vitest";
import { fetchFile, upload } from "../support/files.ts";
import { send } from "../support/http.ts";
import { aPerson, call, localTest } from "../support/world.ts";

/** Web pages of other origins are ordinary clients: they send credentials that their user entered, and no cookies. */

const origin = "https://page.example";
const localGatewayTest = localTest(
  "MiniStack answers preflights in its own way; the template is asserted in synth.test.ts",
);

const preflight = (path: string, method: string) =>
  send("OPTIONS", path, undefined, {
    headers: {
      origin,
      "access-control-request-method": method,
      "access-control-request-headers": "authorization,content-type",
    },
  });

localGatewayTest("a preflight is answered by the gateway, and no function runs", async () => {
  for (const [path, method] of [
    ["/api/v1/messages", "POST"],
    ["/api/v1/messages/1", "PATCH"],
    ["/api/v1/no-such-route", "GET"],
    ["/user_uploads/1/ab/some/file.txt", "GET"],
  ] as const) {
    const reply = await preflight(path, method);

    expect(reply, path).toMatchObject({ status: 204, body: "" });
    expect(reply.headers).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "Authorization,Content-Type",
      "access-control-max-age": "86400",
    });
    expect(reply.headers["access-control-allow-methods"]).toContain(method);
    expect(reply.headers).not.toHaveProperty("access-control-allow-credentials");
    expect(reply.headers).not.toHaveProperty("x-skein-table-calls");
  }
});

localGatewayTest(
  "a page of any origin can read replies, errors and files, and a request without an origin gets no CORS headers",
  async () => {
    const miranda = await aPerson("Miranda");
    const url = await upload(miranda, "song.txt", "Where the bee sucks");

    const reply = await miranda.call("GET", "/users/me", {}, { headers: { origin } });
    const error = await call("GET", "/users/me", {}, { headers: { origin } });
    const file = await fetchFile(miranda, url, { origin });
    const replyToProgram = await miranda.call("GET", "/users/me");

    for (const { headers } of [reply, error, file]) {
      expect(headers["access-control-allow-origin"]).toBe("*");
      expect(headers["access-control-expose-headers"]).toContain("Retry-After");
    }
    expect([reply.status, error.status, file.bytes.toString()]).toEqual([200, 401, "Where the bee sucks"]);
    expect(replyToProgram.headers).not.toHaveProperty("access-control-allow-origin");
  },
);

test("a 401 to a script or for a picture has no challenge, so that browsers show no password dialog", async () => {
  const toScript = await call("GET", "/users/me", {}, { headers: { origin, "sec-fetch-mode": "cors" } });
  const toPicture = await fetchFile(undefined, "/user_uploads/1/00/nothing/a.png", { "sec-fetch-mode": "no-cors" });
  const toNavigation = await call("GET", "/users/me", {}, { headers: { "sec-fetch-mode": "navigate" } });

  expect(toScript).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
  expect(toScript.headers).not.toHaveProperty("www-authenticate");
  expect(toPicture.status).toBe(401);
  expect(toPicture.headers).not.toHaveProperty("www-authenticate");
  expect(toNavigation.headers["www-authenticate"]).toBe('Basic realm="zulip"');
});
