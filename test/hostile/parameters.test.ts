import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EndpointMember } from "../../infra/fleet.ts";
import { type JsonSchema, schemaOf } from "../../infra/reference/schemas.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { endpoints, endsCaller, nameOf, pathWith } from "./acts.ts";
import { hostileTexts } from "./texts.ts";

/**
 * Calls endpoints with parameters that are generated from their schemas, and partly invalid: no reply is a 500, none is
 * slow, and none needs more than `maxTableCalls`. Runs on a private host, where an owner may change anything.
 */

const requestsPerEndpoint = 8;
const maxDurationMs = 20_000;
const maxTableCalls = 400;
const ownerEmail = "owner@globe.test";

/** Pseudo-random numbers, the same in each run (mulberry32). */
function randomFrom(seed: number) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
type Random = () => number;
const pick = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;

const nestedLists = (depth: number) => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
const invalidValues: readonly unknown[] = [
  ...[0, -1, 1, 2 ** 31, 2 ** 53, -(2 ** 53), 1.5, 1e308],
  ...[null, true, false, "", " ", [], {}, [[]], [null], [{}], { length: 1e9 }],
  ...[nestedLists(500), "x".repeat(20_000), Array.from({ length: 2000 }, (_, index) => index)],
  ...["__proto__", "1", "-1", "NaN", "newest", "2024-01-01", "a".repeat(255)],
  JSON.parse('{"__proto__":{"x":1},"constructor":1}'),
];

/** A value that mostly conforms to the schema. */
function valueFor(schema: JsonSchema, random: Random, depth = 0): unknown {
  if (random() < 0.15 || depth > 6) return random() < 0.5 ? pick(random, invalidValues) : pick(random, hostileTexts);
  const { type, enum: values, const: constant, anyOf, oneOf, items, properties } = schema as Record<string, any>;
  if (constant !== undefined) return constant;
  if (values) return pick(random, values);
  if (anyOf ?? oneOf) return valueFor(pick(random, anyOf ?? oneOf), random, depth + 1);
  const kind = Array.isArray(type) ? pick(random, type) : type;
  if (kind === "integer" || kind === "number") return Math.floor(random() ** 4 * 60);
  if (kind === "boolean") return random() < 0.5;
  if (kind === "array")
    return Array.from({ length: Math.floor(random() * 4) }, () => valueFor(items ?? {}, random, depth + 1));
  if (kind === "object")
    return Object.fromEntries(
      Object.entries<JsonSchema>(properties ?? { a: {} }).flatMap(([name, part]) =>
        random() < 0.8 ? [[name, valueFor(part, random, depth + 1)]] : [],
      ),
    );
  return pick(random, hostileTexts);
}

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
  const inQuery = method === "GET";
  const startedAt = Date.now();
  const response = await fetch(`${host.url}${path}${inQuery ? `?${form.slice(0, 7000)}` : ""}`, {
    method,
    headers: { authorization, "content-type": "application/x-www-form-urlencoded" },
    redirect: "manual",
    ...(!inQuery && { body: form }),
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
