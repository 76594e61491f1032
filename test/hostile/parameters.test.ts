import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EndpointMember } from "../../infra/fleet.ts";
import { schemaOf } from "../../shared/base/schema/json-schema.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { randomFrom } from "../support/random.ts";
import { endpoints, endsCaller, nameOf, pathWith } from "./acts.ts";
import { valueFor } from "./values.ts";

/**
 * Calls endpoints with parameters that are generated from their schemas, and partly invalid: no reply is a 500, none is
 * slow, and none needs more than `maxTableCalls`. Runs on a private host, where an owner may change anything.
 */

const requestsPerEndpoint = 6;
const maxDurationMs = 20_000;
const maxTableCalls = 400;
const ownerEmail = "owner@globe.test";

const asText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

let host: PrivateHost;
let authorization: string;
beforeAll(async () => {
  host = await aPrivateHost();
  const { api_key } = await host.as(undefined, "POST", "/dev_fetch_api_key", { username: ownerEmail });
  authorization = `Basic ${Buffer.from(`${ownerEmail}:${api_key}`).toString("base64")}`;
  const setup = [
    ["/messages", { type: "channel", to: "stage", topic: "plays", content: "To be" }],
    ["/saved_snippets", { title: "a", content: "b" }],
    ["/channel_folders/create", { name: "f" }],
    ["/user_groups/create", { name: "players", description: "", members: [] }],
    ["/realm/profile_fields", { name: "n", field_type: 1 }],
  ] as const;
  for (const [path, params] of setup)
    expect(await host.as(ownerEmail, "POST", path, params)).toMatchObject({ status: 200 });
}, 60_000);
afterAll(async () => host?.stop());

async function callWith(member: EndpointMember, values: Record<string, unknown>) {
  const { method } = member.spec;
  const pathParams = new Set<string>();
  const path = pathWith(member, (name) => {
    pathParams.add(name);
    // An empty segment, "." or ".." would be another path.
    const text = asText(values[name] ?? 1)
      .toWellFormed()
      .slice(0, 200);
    return /^\.{0,2}$/.test(text) ? "1" : text;
  });
  const fields = Object.entries(values).flatMap(([name, value]): [string, string][] =>
    pathParams.has(name) || value === undefined ? [] : [[name, asText(value)]],
  );
  const form = new URLSearchParams(fields).toString();
  const inQuery = method === "GET" || member.spec.webhook === true;
  const startedAt = Date.now();
  const response = await fetch(`${host.url}${path}${inQuery ? `?${form.slice(0, 7000)}` : ""}`, {
    method,
    headers: { authorization, "content-type": "application/x-www-form-urlencoded" },
    redirect: "manual",
    ...(method !== "GET" && { body: form }),
  });
  await response.arrayBuffer();
  return {
    status: response.status,
    ms: Date.now() - startedAt,
    tableCalls: Number(response.headers.get("x-skein-table-calls")),
  };
}

describe.each(endpoints.map((member) => [nameOf(member), member] as const).filter(([name]) => !(name in endsCaller)))(
  "%s",
  (name, member) => {
    test("answers arbitrary parameters with success or a declared error", async () => {
      const random = randomFrom([...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 7));
      const schemas = Object.entries(member.spec.params).map(
        ([param, paramSpec]) => [param, paramSpec.required, schemaOf(paramSpec)] as const,
      );
      const requests = Array.from({ length: requestsPerEndpoint }, () =>
        Object.fromEntries(
          schemas.flatMap(([param, required, schema]) =>
            required || random() < 0.5 ? [[param, valueFor(schema, random)]] : [],
          ),
        ),
      );
      if (member.spec.longPoll) for (const request of requests) request.dont_block = true;

      for (const request of requests) {
        const { status, ms, tableCalls } = await callWith(member, request);

        expect({
          request,
          failed: status >= 500,
          slow: ms > maxDurationMs,
          costly: tableCalls > maxTableCalls,
        }).toEqual({
          request,
          failed: false,
          slow: false,
          costly: false,
        });
      }
    });
  },
);
