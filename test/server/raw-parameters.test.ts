import { expect, test } from "vitest";
import { type HttpEvent, httpRequest } from "../../shared/services/http/event.ts";

/** `rawParameter`: the parameters by which needs are read early, before a request is authenticated and validated. */

const request = (body: string, rawQueryString = "") =>
  httpRequest({
    headers: { "content-type": "application/x-www-form-urlencoded" },
    requestContext: { http: { sourceIp: "127.0.0.1" } },
    pathParameters: { channel: "7" },
    isBase64Encoded: true,
    body: Buffer.from(body).toString("base64"),
    rawQueryString,
  } as unknown as HttpEvent);

test("a parameter in the path takes precedence over the body, and the body over the query", () => {
  const { rawParameter } = request("to=a%20b&channel=8", "to=d&topic=e&channel=9");

  expect(["channel", "to", "topic", "type"].map(rawParameter)).toEqual(["7", "a b", "e", undefined]);
});

test("of several values of a parameter, the last in the body and the first in the query is used, as in validation", () => {
  const { rawParameter } = request("to=a&to=c", "topic=e&topic=f");

  expect(["to", "topic"].map(rawParameter)).toEqual(["c", "e"]);
});

test.each([
  ["a form that is too long", `to=4&content=${"a".repeat(100_000)}`],
  ["a form with too many fields", `to=4${"&a=1".repeat(1000)}`],
])("%s is not parsed", (_, body) => {
  expect(request(body).rawParameter("to")).toBeUndefined();
  expect(request(body).rawParameter("channel")).toBe("7");
});
