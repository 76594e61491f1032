import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { ArchiveError } from "../../../shared/features/import/archive.ts";
import { planDiscordImport } from "../../../shared/features/import/discord/plan.ts";
import { planMattermostImport } from "../../../shared/features/import/mattermost/plan.ts";
import type { ImportPlan } from "../../../shared/features/import/plan.ts";
import { rehearseImport } from "../../../shared/features/import/rehearse.ts";
import { planRocketChatImport } from "../../../shared/features/import/rocketchat/plan.ts";
import { slackServers } from "../../../shared/features/import/slack/fetch.ts";
import { planSlackImport } from "../../../shared/features/import/slack/plan.ts";
import { planZulipImport } from "../../../shared/features/import/zulip/plan.ts";
import { type Random, randomFrom, seed } from "../../support/random.ts";
import { theTempest as discordTempest } from "./discord-archive.ts";
import { theTempest as mattermostTempest } from "./mattermost-archive.ts";
import { theTempest as rocketChatTempest } from "./rocketchat-archive.ts";
import { aFolder, theTempest as slackTempest } from "./slack-archive.ts";
import { theTempest as zulipTempest } from "./zulip-archive.ts";

/**
 * Archives whose fields have anything, are missing, or are there twice, and whose rows are in any order: each comes whole, or is
 * refused in words before anything is written.
 */

type Files = Record<string, unknown>;

const now = 1_750_000_000;
const common = { ownerEmail: "prospero@milan.example", secret: "a secret", now };
const planOf: Record<string, (folder: string) => Promise<ImportPlan> | ImportPlan> = {
  Zulip: (folder) => planZulipImport(folder, { ...common, oldUrl: "https://acme.example" }),
  Slack: (folder) =>
    planSlackImport(folder, {
      ...{ ...common, token: undefined, withFiles: true, servers: slackServers, isRehearsal: true },
    }),
  Mattermost: (folder) => planMattermostImport(folder, { ...common, oldUrl: "https://acme.example" }),
  Discord: (folder) =>
    planDiscordImport(folder, { ...common, ownerEmail: `prospero=${common.ownerEmail}`, oldUrl: undefined }),
  "Rocket.Chat": (folder) => planRocketChatImport(folder, { ...common, oldUrl: "https://acme.example" }),
};

const anything: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1, 0.5, 2 ** 31, 2 ** 53, 1e21, 1e300, -1e300, "", " ", "\0", "\ud800", "é\u0301"],
  ...["x".repeat(500_000), "\u{1f600}".repeat(70_000), "*_`".repeat(30_000), ">".repeat(20_000), "<".repeat(9_000)],
  ...[
    "99999999999.999999",
    "1704110400.000000",
    "0",
    "-1",
    "1e5",
    "../../etc/passwd",
    "/etc/passwd",
    "a/b",
    "__proto__",
  ],
  ...["@**all**", "#**island>x@999999999**", "[x](/user_uploads/2/ab/x.txt)", "javascript:alert(1)", "12|34", "**|1"],
  ...[
    [],
    {},
    [[]],
    [null],
    { id: 1 },
    [1, 2, 3],
    ["x"],
    { __proto__: null },
    Array.from({ length: 3000 }, (_, at) => at),
  ],
  ...[Array.from({ length: 2000 }, () => ({})), JSON.stringify({ a: "b" }), "\u202ex", "U0MIRANDA", 3, 7, 10, 13],
];

const pick = <T>(random: Random, from: readonly T[]): T =>
  structuredClone(from[Math.floor(random() * from.length)]) as T;

/** Each object and list within a value, however deep. */
function* containers(value: unknown): Generator<object> {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return;
  yield value;
  for (const inner of Object.values(value)) yield* containers(inner);
}

function shuffle(random: Random, list: unknown[]): void {
  for (let at = list.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [list[at], list[other]] = [list[other], list[at]];
  }
}

/** Changes files at one random place; returns what was done, for the message of a failure. */
function mutate(random: Random, files: Files): string {
  const name = pick(random, Object.keys(files));
  const found = [...containers(files[name])];
  if (found.length === 0 || random() < 0.02) {
    files[name] = pick(random, [
      ...anything,
      "{",
      "[1,",
      Buffer.from([0xff, 0x22]),
      `\ufeff${JSON.stringify(files[name])}`,
    ]);
    return `${name} is something else`;
  }
  const container = found[Math.floor(random() * found.length)] as object;
  const keys = Object.keys(container);
  if (keys.length === 0) return "nothing";
  const key = pick(random, keys);
  const fields = container as Record<string, unknown>;
  const where = `${name} … ${key}`;
  if (Array.isArray(container)) {
    const choice = random();
    if (choice < 0.3) container.push(structuredClone(container[Number(key)]));
    else if (choice < 0.5) shuffle(random, container);
    else if (choice < 0.7) container.splice(Number(key), 1);
    else if (choice < 0.85) container[Number(key)] = pick(random, anything);
    else for (let count = 0; count < 600; count++) container.push(structuredClone(container[Number(key)]));
    return `${where} in a list`;
  }
  if (random() < 0.15) {
    delete fields[key];
    return `${where} is missing`;
  }
  // Values of other fields too, which are IDs of something else.
  const other = Object.values(pick(random, found));
  fields[key] = random() < 0.25 && other.length > 0 ? pick(random, other) : pick(random, anything);
  return `${where} is ${JSON.stringify(fields[key])?.slice(0, 60)}`;
}

const attempts = 40;
const maxMutations = 8;

test.each([
  ["Zulip", () => zulipTempest(new Uint8Array([1])) as Files],
  ["Slack", () => slackTempest("https://files.slack.com") as Files],
  ["Mattermost", () => mattermostTempest(new Uint8Array([1]))],
  ["Discord", () => discordTempest(new Uint8Array([1]))],
  ["Rocket.Chat", () => rocketChatTempest(new Uint8Array([1]))],
])(
  "an archive of %s with anything in any field comes whole or is refused",
  async (kind, archive) => {
    const outcomes = { whole: 0, refused: 0 };
    for (let attempt = 0; attempt < attempts; attempt++) {
      const random = randomFrom(seed + attempt);
      const files = structuredClone(archive());
      const done = Array.from({ length: 1 + Math.floor(random() * maxMutations) }, () => mutate(random, files));
      const folder = aFolder(files);
      try {
        const plan = await planOf[kind]?.(folder);
        if (plan) await rehearseImport(plan, "Milan");
        outcomes.whole++;
      } catch (error) {
        if (!(error instanceof ArchiveError))
          throw new Error(`Seed ${seed + attempt}: ${done.join("; ")}`, { cause: error });
        expect(error.message, done.join("; ")).toMatch(/\w{3}.*\w{3}/);
        outcomes.refused++;
      } finally {
        rmSync(folder, { recursive: true });
      }
    }

    expect(outcomes.whole).toBeGreaterThan(attempts / 4);
  },
  600_000,
);
