import { expect, test } from "vitest";
import { ArchiveError } from "../../../shared/features/import/archive.ts";
import { planMattermostImport } from "../../../shared/features/import/mattermost/plan.ts";
import type { ImportPlan } from "../../../shared/features/import/plan.ts";
import { slackServers } from "../../../shared/features/import/slack/fetch.ts";
import { planSlackImport } from "../../../shared/features/import/slack/plan.ts";
import { planZulipImport } from "../../../shared/features/import/zulip/plan.ts";
import { theTempest as mattermostTempest } from "./mattermost-archive.ts";
import { aFolder, theTempest as slackTempest } from "./slack-archive.ts";
import { theTempest as zulipTempest } from "./zulip-archive.ts";

/** Numbers of archives, of any size and in any field: what is planned can be stored, so that no import ends in the middle. */

const now = 1_750_000_000;
const common = { ownerEmail: undefined, secret: "a secret", now };
const planZulip = (files: Record<string, unknown>) => planZulipImport(aFolder(files), { ...common, oldUrl: undefined });
const planSlack = (files: Record<string, unknown>) =>
  planSlackImport(aFolder(files), { ...common, token: undefined, withFiles: false, servers: slackServers });
const planMattermost = (files: Record<string, unknown>) =>
  planMattermostImport(aFolder(files), { ...common, oldUrl: undefined });

const zulip = zulipTempest(new Uint8Array([1]));
const slack = slackTempest("http://127.0.0.1:1");
const mattermost = mattermostTempest(new Uint8Array([1]));

/** All names of fields that have a number, or a time as text as Slack writes it. */
function* numberedFields(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return;
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === "number" || (typeof inner === "string" && /^\d{9,11}\.\d{6}$/.test(inner))) yield name;
    yield* numberedFields(inner);
  }
}

/** A copy in which every field of this name has another number, as text where it was text. */
function replaced(value: unknown, field: string, number: number): unknown {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map((one) => replaced(one, field, number));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === field && typeof inner === "number"
        ? number
        : name === field && typeof inner === "string"
          ? `${number.toLocaleString("en", { useGrouping: false })}.0`
          : replaced(inner, field, number),
    ]),
  );
}

/** The numbers in a plan that no table stores, or that are no time. */
function unstorable(value: unknown, path = ""): string[] {
  if (typeof value === "number")
    return Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? [] : [`${path}: ${value}`];
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return [];
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return entries.flatMap(([name, inner]) => unstorable(inner, `${path}.${name}`));
}

const written = { emoji: [], files: new Set<string>() };

function check(plan: ImportPlan): string[] {
  const messages = [...plan.messages()];
  for (const one of messages) {
    one.content(written);
    one.reactions(written);
  }
  const { members, channels, groups, conversations, topics, organization, details } = plan;
  return unstorable({ members, channels, groups, conversations, topics, organization, details, messages });
}

const extremes = [1e300, -1e300, 2 ** 53 + 2, 1e11, -1, 0.5];

test.each([
  ["Zulip", zulip, planZulip],
  ["Slack", slack, planSlack],
  ["Mattermost", mattermost, planMattermost],
] as const)("each number in an export of %s may be anything", async (_, files, planOf) => {
  for (const field of new Set(numberedFields(files)))
    for (const number of extremes) {
      const plan = await Promise.resolve()
        .then(() => planOf(replaced(files, field, number) as Record<string, unknown>))
        .catch((error: unknown) => {
          if (error instanceof ArchiveError) return undefined;
          throw error;
        });
      expect([field, number, plan ? check(plan) : []]).toEqual([field, number, []]);
    }
});

test("messages of the future get the time of the import, which the report says", async () => {
  const file = "messages-000001.json";
  const messages = zulip[file].zerver_message.map((one, index) =>
    index === 0 ? { ...one, date_sent: 99_999_999_999 } : one,
  );
  const plans = [
    planZulip({ ...zulip, [file]: { ...zulip[file], zerver_message: messages } }),
    await planSlack({
      ...slack,
      "island/5138-11-16.json": [{ type: "message", user: "U0MIRANDA", ts: "99999999999.000000", text: "x" }],
    }),
  ];

  for (const plan of plans) {
    expect(Math.max(...[...plan.messages()].map((one) => one.message.sentAt))).toBe(now);
    expect(String(plan.report)).toMatch(
      / 1 {2}dates of messages that are in the future: the time of the import \((message \d+|the message of 99999999999\.000000 in island\/5138-11-16\.json)\)/,
    );
  }
});
