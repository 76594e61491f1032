import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EndpointMember } from "../../infra/fleet.ts";
import { type JsonSchema, schemaOf } from "../../shared/base/schema/json-schema.ts";
import { roles } from "../../shared/base/schema/roles.ts";
import { cpuMsOf } from "../support/cpu-time.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { endpoints, endsCaller, nameOf, pathWith } from "./acts.ts";

/**
 * A guest, a member, the owner and the SCIM client send to every endpoint that they may call the longest texts and lists and the
 * deepest JSON that its declaration allows, one parameter at a time: no request takes the host more than a fraction of a second of
 * processor time, and somebody else's requests go on.
 */

const [owner, member, guest] = ["owner@globe.test", "viola@globe.test", "guest@globe.test"];
const scimToken = "a".repeat(40);
/** At this length, quadratic time is seconds. */
const textLength = 60_000;
const maxCpuMs = 600;
const pieces = [
  "a",
  " ",
  "<",
  "(",
  "*",
  "`",
  "\\",
  "@",
  ".",
  ",",
  '"',
  "{{",
  "\u0301\u0316",
  "ﷺ",
  "😄",
  "a@a.a,",
  "> ",
  "a\n",
];
/** Of a text whose length is limited before anything is done with it. */
const piecesPerShortText = 3;

let host: PrivateHost;
/** Values with which requests reach beyond the checks of their parameters, by the parameter's name. */
let known: Record<string, unknown>;

beforeAll(async () => {
  host = await aPrivateHost({ SKEIN_RATE_LIMITS: "off", SKEIN_SCIM_TOKEN: scimToken });
  const { user_id } = await host.do(owner, "POST", "/users", {
    ...{ email: guest, full_name: "Guest", password: "rosencrantz and guildenstern" },
  });
  await host.do(owner, "PATCH", `/users/${user_id}`, { role: roles.guest });
  const { user_id: memberId } = await host.do(member, "GET", "/users/me");
  const subscriptions = [{ name: "pit" }];
  await host.do(owner, "POST", "/users/me/subscriptions", { subscriptions, principals: [user_id, memberId] });
  const { stream_id } = await host.do(owner, "GET", "/get_stream_id", { stream: "pit" });
  const message = { type: "channel", to: stream_id, topic: "t", content: "hello" };
  const { id: message_id } = await host.do(member, "POST", "/messages", message);
  const { group_id } = await host.do(owner, "POST", "/user_groups/create", {
    ...{ name: "g", description: "", members: [memberId] },
  });
  const bot = await host.do(member, "POST", "/bots", { full_name: "Bot", short_name: "bot", bot_type: 2 });
  known = {
    ...message,
    ...{ stream_id, message_id, messages: [message_id], user_id: memberId, group_id, user_group_id: group_id },
    ...{ bot_id: bot.user_id, api_key: bot.api_key, integration: "generic", emoji_name: "smile", msg_type: "widget" },
    ...{
      anchor: "newest",
      num_before: 1,
      num_after: 0,
      op: "start",
      flag: "read",
      dont_block: true,
      last_event_id: -1,
    },
    ...{ stream: "pit", topic_name: "t", subscriptions, queue_id: "0", scheduled_delivery_timestamp: 4_000_000_000 },
  };
});
afterAll(() => host?.stop());

type Schema = JsonSchema & Record<string, any>;

/** A valid value, as far as the schema says. */
function plausible(name: string, schema: Schema): unknown {
  if (Object.hasOwn(known, name)) return known[name];
  const { type, enum: values, const: constant, anyOf, oneOf, properties } = schema;
  if (constant !== undefined) return constant;
  if (values) return values[0];
  if (anyOf ?? oneOf) return plausible(name, (anyOf ?? oneOf)[0]);
  const kind = [type].flat()[0];
  if (kind === "integer" || kind === "number") return 1;
  if (kind === "boolean") return false;
  if (kind === "array") return [];
  if (kind === "object")
    return Object.fromEntries(
      Object.entries<Schema>(properties ?? {}).map(([key, part]) => [key, plausible(key, part)]),
    );
  return "a";
}

let turn = 0;
const longText = (max: number) => {
  const piece = pieces[turn++ % pieces.length] as string;
  const length = Math.min(max, textLength);
  return `${piece.repeat(Math.ceil(length / piece.length)).slice(0, length - 1)}!`;
};

/** Values of a parameter as texts: long, wide and deep. */
function worst(name: string, schema: Schema): string[] {
  const { type, enum: values, const: constant, anyOf, oneOf, items, maxItems, maxLength, properties } = schema;
  if (constant !== undefined || values) return [];
  if (anyOf ?? oneOf) return (anyOf ?? oneOf).flatMap((option: Schema) => worst(name, option));
  const kind = [type].flat()[0];
  if (kind === "integer" || kind === "number" || kind === "boolean") return [];
  if (kind === "string")
    return Array.from({ length: maxLength === undefined ? pieces.length : piecesPerShortText }, () =>
      longText(maxLength ?? textLength),
    );
  const deep = "[".repeat(textLength / 2) + "]".repeat(textLength / 2);
  if (kind === "array") {
    const count = Math.min(maxItems ?? 2000, 2000);
    const item = plausible("", items ?? {});
    const wide = Array.from({ length: count }, (_, index) =>
      typeof item === "number" ? index + 1 : typeof item === "string" ? `${index}${longText(40)}` : item,
    );
    return [JSON.stringify(wide), deep];
  }
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, "v"]));
  const nested = Object.entries<Schema>(properties ?? {}).flatMap(([key, part]) =>
    part.type === "string"
      ? [JSON.stringify({ ...(plausible(name, schema) as object), [key]: longText(part.maxLength ?? textLength) })]
      : [],
  );
  return [JSON.stringify(wide), deep, JSON.stringify({ a: longText(textLength) }), ...nested];
}

async function send({ spec }: EndpointMember, path: string, form: URLSearchParams, email: string): Promise<number> {
  const authorization = spec.caller === "scim" ? `Bearer ${scimToken}` : await host.credentialsOf(email);
  const inQuery = spec.method === "GET" || spec.webhook === true;
  const response = await fetch(`${host.url}${path}${inQuery ? `?${form.toString().slice(0, 7000)}` : ""}`, {
    method: spec.method,
    headers: { authorization },
    redirect: "manual",
    ...(spec.method !== "GET" && { body: form }),
  });
  await response.arrayBuffer();
  return response.status;
}

const asText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

test("no long, wide or deep parameter takes the host long, and others are served meanwhile", async () => {
  const called = endpoints.filter((endpoint) => !(nameOf(endpoint) in endsCaller));
  const request = async () => {
    const startedAt = performance.now();
    await host.do(owner, "GET", "/users/me");
    return performance.now() - startedAt;
  };
  const quietTimes: number[] = [];
  while (quietTimes.length < 20) quietTimes.push(await request());
  const otherTimes: number[] = [];
  let isOver = false;
  const others = (async () => {
    for (; !isOver; await pause(100)) otherTimes.push(await request());
  })();
  const slow: unknown[] = [];
  let count = 0;
  try {
    for (const endpoint of called) {
      const isForAdministrators = ["admin", "owner"].includes(endpoint.spec.caller);
      const params = Object.entries(endpoint.spec.params).map(
        ([name, param]) => [name, param.required, schemaOf(param) as Schema] as const,
      );
      const base = Object.fromEntries(
        params.filter(([, required]) => required).map(([name, , schema]) => [name, plausible(name, schema)]),
      );
      for (const [name, , schema] of params)
        for (const value of worst(name, schema)) {
          const sent: Record<string, unknown> = { ...base, [name]: value };
          const inPath = new Set<string>();
          const path = pathWith(endpoint, (part) => {
            inPath.add(part);
            return asText(sent[part] ?? 1)
              .slice(0, 500)
              .toWellFormed();
          });
          const form = new URLSearchParams(
            Object.entries(sent).flatMap(([key, one]) => (inPath.has(key) ? [] : [[key, asText(one)]])),
          );
          const attempt = async () => {
            const before = cpuMsOf(host.pid);
            const others = count % 3 === 2 ? guest : member;
            const status = await send(endpoint, path, form, isForAdministrators ? owner : others);
            return { status, cpuMs: cpuMsOf(host.pid) - before };
          };
          let { status, cpuMs } = await attempt();
          // The first request of a kind loads what it needs, and the host has other work too.
          for (let again = 0; again < 2 && status < 500 && cpuMs > maxCpuMs; again++)
            ({ status, cpuMs } = await attempt());
          count++;
          if (status >= 500 || cpuMs > maxCpuMs) slow.push([nameOf(endpoint), name, value.slice(0, 20), status, cpuMs]);
        }
    }
  } finally {
    isOver = true;
    await others;
  }

  expect(slow).toEqual([]);
  expect(count).toBeGreaterThan(1000);
  expect(median(otherTimes)).toBeLessThan(5 * median(quietTimes) + 100);
});

const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number;
