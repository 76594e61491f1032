import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { handler as sendOutgoing } from "../functions/jobs/send-outgoing.ts";
import {
  defaultRateLimits,
  eventRetentionSeconds,
  featureLevel,
  limits,
  parseRateLimits,
} from "../shared/base/limits.ts";
import { secondsPerDay } from "../shared/base/time.ts";
import { recentSeconds } from "../shared/store/table/commit-window.ts";
import type { CallFigures } from "./calls.ts";
import { documentOf, readFigures, withFigures } from "./document.ts";
import type { FollowUpFigures } from "./follow-up/section.ts";
import { billOf, idleTotals, paidOf } from "./month/bill.ts";
import { receivesOf, smokeTestsCost } from "./month/idle-load.ts";
import { countsIn } from "./month/month.ts";
import { prices } from "./month/prices.ts";
import { sections } from "./sections.ts";
import { heldPriceRatio } from "./waiting/waiting.ts";

test.each(["docs/cost.md", "docs/speed.md"] as const)(
  "%s matches the saved figures (if not: npm run bench -- pages)",
  (name) => {
    expect(documentOf(name, sections, readFigures())).toBe(readFileSync(name, "utf8"));
  },
);

test("README.md matches the saved figures (if not: npm run bench -- pages)", () => {
  const readme = readFileSync("README.md", "utf8");
  expect(readme).toContain("| 5,000 | $");
  expect(withFigures(readme, readFigures())).toBe(readme);
});

test("after the permanent free tier, an idle fleet and small teams with alarms stay below the limits of ADR 21", () => {
  const counts = countsIn(readFigures());
  if (!counts) throw new Error("Figures are missing");
  const monthOf = (people: number) => paidOf(billOf(people, counts, { alarms: true }));

  expect(idleTotals(counts.idleLoad).paid).toBeLessThan(0.5);
  expect(monthOf(5)).toBeLessThan(0.8);
  expect(monthOf(50)).toBeLessThan(2.5);
});

const accountLimits = parseRateLimits(defaultRateLimits);

test.each([
  ["README.md", `feature level ${featureLevel}`],
  ["CHANGELOG.md", `feature level ${featureLevel}`],
  ["docs/architecture.md", `for ${Math.round(receivesOf(1) * prices.queueRequest * 100)} cents`],
  ["docs/operating.md", `for about ${smokeTestsCost().toFixed(2)} USD a month`],
  ["docs/operating.md", `two alarms (${(2 * prices.alarmMonth).toFixed(2)} USD a month)`],
  ["docs/operating.md", `may have ${limits.requestBodyBytes / 1e6} MB`],
  ["docs/operating.md", `a body may have ${limits.anonymousBodyBytes / 1024} KB`],
  ["docs/operating.md", `may make ${accountLimits?.calls} requests a minute`],
  ["docs/moving.md", `texts of more than ${limits.messageLength.toLocaleString("en-US")} characters`],
  ["docs/moving.md", `files up to ${limits.presignedUploadMib} MB`],
  ["docs/organization-file.md", `at most ${limits.pictureMib} MiB`],
  ["docs/data-model.md", `| expires after ${eventRetentionSeconds / secondsPerDay} days |`],
  ["docs/data-model.md", `After ${recentSeconds} s the indexes`],
  ["docs/data-model.md", `reads the last ${recentSeconds} s`],
  ["docs/cost.md", `written in the last ${recentSeconds} s`],
  ["docs/glossary.md", `of the last ${recentSeconds} seconds`],
])("%s says: %s", (page, words) => {
  expect(readFileSync(page, "utf8").replaceAll(/\s+/g, " ")).toContain(words);
});

/** A constant, or an entry of an object, as it is written in the code. */
function constantIn(file: string, name: string): number {
  const [, value] = new RegExp(`\\b${name}(?: =|:) ([\\d_* ]+)[;,]`).exec(readFileSync(file, "utf8")) ?? [];
  if (value === undefined) throw new Error(`${file} has no constant ${name} that is a number`);
  return value.split("*").reduce((product, factor) => product * Number(factor.replaceAll("_", "")), 1);
}

const numerals = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const [second, minute, hour] = [1000, 60_000, 3_600_000];
const [kilobyte, kibibyte, mebibyte] = [1000, 1024, 1024 ** 2];

/** In the words, N stands for the number in digits, and n for its name. */
test.each<[page: string, words: string, file: string, constant: string, unit?: number]>([
  ["docs/behaviour.md", "headers have at most N KB", "infra/local/gateway.ts", "maxHeaderBytes", kibibyte],
  ["docs/behaviour.md", "query has at most N parameters", "shared/services/http/read-params.ts", "maxParameters"],
  ["docs/behaviour.md", "lists at most N ignored ones", "shared/services/http/read-params.ts", "maxIgnored"],
  [
    "docs/behaviour.md",
    "Replies of N KB and more",
    "shared/services/http/compress.ts",
    "minCompressedCharacters",
    kilobyte,
  ],
  ["docs/behaviour.md", "Other lists are cut at N MB", "shared/services/http/reply-size.ts", "maxReplyBytes", 1e6],
  ["docs/behaviour.md", "the newest N messages that link", "shared/messaging/uploads/claims.ts", "maxListedMessages"],
  ["docs/behaviour.md", "may name at most N user-defined groups", "shared/core/user-groups/names.ts", "maxGroups"],
  ["docs/behaviour.md", "their last N direct messages", "shared/services/identity/accessible.ts", "maxRecentMessages"],
  ["docs/behaviour.md", "left within N s of it", "shared/core/presence/rules.ts", "offlineAfterSeconds"],
  [
    "docs/behaviour.md",
    "with N characters of each",
    "shared/messaging/missed-mail/compose.ts",
    "maxCharactersPerMessage",
  ],
  ["docs/behaviour.md", "of its first N messages", "shared/messaging/missed-mail/compose.ts", "maxMessages"],
  ["docs/behaviour.md", "more than N kB", "shared/messaging/missed-mail/compose.ts", "maxContentBytes", kilobyte],
  ["docs/clients.md", "not be sent for N hours", "web/session/unsent/delivery.ts", "maxAgeMs", hour],
  ["docs/clients.md", "is offered for N seconds", "web/session/toasts.ts", "undoMs", second],
  ["docs/clients.md", "does not answer within N seconds", "web/session/event-socket.ts", "answerTimeoutMs", second],
  [
    "docs/clients.md",
    "set a timeout of N seconds",
    "shared/core/organization/state.ts",
    "event_queue_longpoll_timeout_seconds",
  ],
  ["docs/clients.md", "at least every n minutes", "web/session/events.ts", "maxRetryMs", minute],
  [
    "docs/clients.md",
    "not polled for n minutes",
    "shared/features/events/queue.ts",
    "defaultLifespanSeconds",
    minute / second,
  ],
  [
    "docs/clients.md",
    "valid once, for N seconds",
    "shared/features/events/connections/connections.ts",
    "ticketSeconds",
  ],
  ["docs/data-model.md", "A change has N s from", "shared/store/table/commit-window.ts", "maxCommitMs", second],
  ["docs/data-model.md", "above N people", "shared/store/users/presence.ts", "maxReadWhole"],
  ["docs/data-model.md", "`CHUNK#⌊user / N⌋`", "shared/store/users/people-copy.ts", "idsPerChunk"],
  ["docs/data-model.md", "From N users on", "shared/store/users/people-copy.ts", "minUsers"],
  ["docs/data-model.md", "would list more than N,", "shared/store/users/people-copy.ts", "maxChangedUsers"],
  ["docs/data-model.md", "more than N entries behind", "shared/store/users/people-copy.ts", "maxEntriesBehind"],
  ["docs/data-model.md", "batches of at most N,", "shared/messaging/messages/edit/moves.ts", "maxBatchMessages"],
  ["docs/data-model.md", "request continues for N s", "shared/messaging/messages/edit/edit.ts", "timeLimitMs", second],
  ["docs/data-model.md", "first, N to a", "shared/features/channels/delete-topic.ts", "maxMessagesPerTransaction"],
  ["docs/data-model.md", "it is dated N s ahead", "shared/core/presence/rules.ts", "reportHoldsSeconds"],
  ["docs/data-model.md", "a client sends every n minutes", "web/session/event-socket.ts", "heartbeatMs", minute],
  ["docs/data-model.md", "batching window of n seconds", "functions/jobs/consume-log.ts", "batchingWindowSeconds"],
  ["docs/data-model.md", "versioned segments of N IDs", "shared/store/messages/read-state.ts", "segmentIds"],
  ["docs/data-model.md", "of up to N messages", "shared/messaging/messages/fetch/matching.ts", "maxStep"],
  ["docs/data-model.md", "When N messages are new", "shared/messaging/messages/search/indexing.ts", "minPerSegment"],
  ["docs/data-model.md", "anew, N with each step", "shared/messaging/messages/search/indexing.ts", "maxPerStep"],
  ["docs/data-model.md", "subscriptions are written N to a", "shared/features/subscriptions/subscribe.ts", "batchSize"],
  ["docs/data-model.md", "up to N entries behind", "shared/services/jobs/log-consumer.ts", "maxEntriesBehind"],
  ["docs/data-model.md", "up to N and", "shared/features/events/notify-waiters.ts", "maxPostedDirectly"],
  ["docs/data-model.md", "and N itself", "shared/features/events/notify-waiters.ts", "maxWokenDirectly"],
  ["docs/data-model.md", "`deliveries`, N in a job", "shared/services/jobs/wake-up-queues.ts", "clientsPerJob"],
  ["docs/data-model.md", "`gsi3`, N at a time", "shared/messaging/mobile-push/fan-out.ts", "ownersPerJob"],
  [
    "docs/data-model.md",
    "more than N minutes",
    "shared/messaging/missed-mail/note-missed.ts",
    "maxDelaySeconds",
    minute / second,
  ],
  [
    "docs/data-model.md",
    "for up to N people at once",
    "shared/messaging/missed-mail/note-missed.ts",
    "usersPerMailJob",
  ],
  ["docs/first-deployment.md", "at most N s at a time", "shared/base/limits.ts", "unverifiedLongPollSeconds"],
  ["docs/moving.md", "then waits for n minutes", "shared/base/host.ts", "settleMs", minute],
  ["docs/moving.md", "unpack to N times its size", "shared/features/import/archive-allowance.ts", "maxRatio"],
  ["docs/moving.md", "JSON of Slack may have N MB", "shared/features/import/archive.ts", "maxJsonBytes", mebibyte],
  [
    "docs/moving.md",
    "a line of Mattermost may have N MB",
    "shared/features/import/archive.ts",
    "maxJsonBytes",
    mebibyte,
  ],
  ["docs/moving.md", "of one day N MB together", "shared/features/import/slack/format.ts", "maxDayBytes", mebibyte],
  ["docs/moving.md", "Zulip's tables may have N MB", "shared/features/import/json-rows.ts", "maxRowBytes", mebibyte],
  ["docs/operating.md", "waits for up to N s.", "shared/base/limits.ts", "longPollSeconds"],
  ["docs/operating.md", "parts of N MiB", "shared/features/exports/run.ts", "targetPartBytes", mebibyte],
  [
    "docs/operating.md",
    "after N notifications in a row",
    "shared/messaging/web-push/notify-browsers.ts",
    "maxFailures",
  ],
  [
    "docs/operating.md",
    "over n minutes late",
    "shared/base/limits.ts",
    "scheduledMessageGraceSeconds",
    minute / second,
  ],
  [
    "docs/single-sign-on.md",
    "A new one takes effect within n minutes",
    "shared/base/aws/secret.ts",
    "operatorSecretMs",
    minute,
  ],
  ["docs/single-sign-on.md", "may make n times the", "shared/services/http/rate-limit.ts", "scimClientFactor"],
  [
    "docs/single-sign-on.md",
    "once, for n minutes",
    "shared/features/single-sign-on/return-to-client.ts",
    "tokenSeconds",
    minute / second,
  ],
  ["docs/single-sign-on.md", "within n seconds", "shared/features/single-sign-on/protocol.ts", "requestTimeoutSeconds"],
  [
    "docs/single-sign-on.md",
    "more than n minutes",
    "shared/features/single-sign-on/attempts.ts",
    "lifetimeSeconds",
    minute / second,
  ],
  ["docs/agents.md", "channels, up to N;", "shared/features/agents/agent-keys.ts", "maxKeyChannels"],
  ["docs/agents.md", "a file of up to N bytes", "shared/features/agents/writing.ts", "maxFileBytes"],
  ["docs/agents.md", "up to N entries", "shared/features/agents/tools.ts", "maxListed"],
  ["docs/agents.md", "up to about N KB of messages", "shared/features/agents/reading.ts", "maxReplyBytes", kilobyte],
  ["docs/agents.md", "the newest N calls", "shared/features/agents/calls.ts", "maxListed"],
  ["docs/agents.md", "above N KB", "shared/features/agents/protocol.ts", "maxFrameBytes", kibibyte],
  ["docs/agents.md", "Skein waits N seconds", "shared/messaging/outgoing-webhooks/deliver.ts", "deadlineMs", second],
  [
    "docs/behaviour.md",
    "each has at most N KB of headers",
    "shared/services/http/read-params.ts",
    "maxPartHeaderBytes",
    kibibyte,
  ],
  ["docs/behaviour.md", "more than N elements", "shared/base/limits.ts", "renderedElements"],
  ["docs/behaviour.md", "an emoji counts as n,", "shared/base/limits.ts", "elementsPerEmoji"],
  [
    "docs/behaviour.md",
    "more than N messages in ten seconds",
    "shared/services/connections/message-rate.ts",
    "maxMessages",
  ],
  [
    "docs/behaviour.md",
    "messages in n seconds (counted",
    "shared/services/connections/message-rate.ts",
    "windowMs",
    second,
  ],
  ["docs/behaviour.md", "at most n requests running", "infra/local/turns/lanes.ts", "maxRunning"],
  ["docs/behaviour.md", "and N in all", "infra/local/turns/lanes.ts", "maxRequests"],
  ["docs/clients.md", "| N MiB |", "shared/base/limits.ts", "presignedUploadMib"],
  ["docs/clients.md", "| N MB |", "shared/base/limits.ts", "maxLambdaFileBytes", 1e6],
  ["docs/first-deployment.md", "acknowledges every n minutes", "web/session/event-socket.ts", "heartbeatMs", minute],
  ["docs/mail.md", "refuses emails above N MB", "infra/local/incoming-mail/accept.ts", "maxMailBytes", mebibyte],
  [
    "docs/mail.md",
    "gets more than N emails in an hour",
    "shared/messaging/incoming-mail/counts.ts",
    "maxMailsPerAddress",
  ],
  ["docs/mail.md", "one author sends more than N", "shared/messaging/incoming-mail/counts.ts", "maxMailsPerAuthor"],
  ["docs/mail.md", "more than N lines", "shared/messaging/incoming-mail/read-mime.ts", "maxLines"],
  ["docs/mail.md", "or N parts", "shared/messaging/incoming-mail/read-mime.ts", "maxParts"],
  ["docs/mail.md", "parts nested over N ", "shared/messaging/incoming-mail/read-mime.ts", "maxNesting"],
  ["docs/mail.md", "nested over N levels deep", "shared/messaging/incoming-mail/html-to-markdown.ts", "maxNesting"],
  [
    "docs/mail.md",
    "more than N KB of headers",
    "shared/messaging/incoming-mail/read-mime.ts",
    "maxHeaderBytes",
    kibibyte,
  ],
  ["docs/mail.md", "Up to N files are attached", "shared/base/limits.ts", "filesPerMessage"],
  ["docs/operating.md", "keeps a record; N |", "shared/base/limits.ts", "defaultAuditLogDays"],
  ["README.md", "files above N MB", "shared/base/limits.ts", "maxLambdaFileBytes", 1e6],
  ["README.md", "up to N MiB", "shared/base/limits.ts", "presignedUploadMib"],
])("%s says: %s, as in %s", (page, words, file, constant, unit = 1) => {
  const value = constantIn(file, constant) / unit;
  const expected = words.replace(/\bN\b/, value.toLocaleString("en-US")).replace(/\bn\b/, numerals[value] ?? "");
  expect(readFileSync(page, "utf8").replaceAll(/\s+/g, " ")).toContain(expected);
});

test("docs/operating.md says how much more polls cost that functions hold", () => {
  expect(Math.round(heldPriceRatio(readFigures().waiting) / 10) * 10).toBe(40);
  expect(readFileSync("docs/operating.md", "utf8")).toContain("costs some forty times as much");
});

test("docs/operating.md says how often the service of an outgoing webhook is called", () => {
  const { attempts, retryAfterSeconds: [first = 0, second = 0, third = 0] = [] } = sendOutgoing.spec;

  expect(attempts).toBe(4);
  expect(readFileSync("docs/operating.md", "utf8").replaceAll("\n", " ")).toContain(
    `dead-lettered after four tries (after ${first} s, ${second} s and ${third / 60} min)`,
  );
});

test("docs/operating.md says within how many minutes a browser's push service is called how often", () => {
  const { attempts, retryAfterSeconds = [] } = sendOutgoing.spec;
  const minutes = Math.ceil(retryAfterSeconds.reduce((sum, seconds) => sum + seconds) / 60);

  expect(readFileSync("docs/operating.md", "utf8").replaceAll("\n", " ")).toContain(
    `tries ${numerals[attempts]} times within ${numerals[minutes]} minutes`,
  );
});

test("docs/data-model.md says what a poll at wake-up queues reads", () => {
  const { counted } = (readFigures().calls as CallFigures).sizes.at(-1) ?? { counted: [] };
  const poll = counted.find(({ name }) => name === "poll, nothing new");

  expect(poll?.writeUnits).toBe(0);
  expect(readFileSync("docs/data-model.md", "utf8")).toContain(`reads once: ${poll?.readUnits} RRU`);
});

test("docs/data-model.md says how many wake-up queues the notifier reads for a read unit", () => {
  const { alone, people } = (readFigures()["follow-up"] as FollowUpFigures).sizes.at(-1) ?? {};
  const { readUnits = 0 } = alone?.work["wake clients"] ?? {};

  expect(people).toBe(10_000);
  expect(Math.round((alone?.wakeUps ?? 0) / readUnits / 10) * 10).toBe(30);
  expect(readFileSync("docs/data-model.md", "utf8")).toContain("about 1 RRU for thirty queues");
});

test("README.md says above how many people an always-on host is cheaper than clients that poll", () => {
  const readme = readFileSync("README.md", "utf8");
  const isHostCheaper = (people: string) => {
    const [row = ""] = new RegExp(`^\\| ${people} \\| \\$.*$`, "m").exec(readme) ?? [];
    const [polling = 0, host = 0] = row.replaceAll(/[$,|]/g, " ").trim().split(/\s+/).slice(-2).map(Number);
    return host < polling;
  };

  expect(["50", "500"].map(isHostCheaper)).toEqual([false, true]);
  expect(readme).toContain("above a few hundred people an always-on host is cheaper");
});

const result = (requestsPerSecond: number) => ({ requests: 10, requestsPerSecond, p50Ms: 10, p99Ms: 20 });

test("the section on throughput states the background work of a sent message, and how much more many writers send than one", () => {
  const rows = [
    { operation: "send: one writer each, own topic", connections: 1, rate: 50 },
    { operation: "send: one writer each, own topic", connections: 16, rate: 100 },
    { operation: "send: many writers, one topic", connections: 1, rate: 40 },
    { operation: "send: many writers, one topic", connections: 16, rate: 64 },
  ].map(({ rate, ...row }) => ({
    ...{ ...row, cpuMs: 1.5, backgroundMs: 7.04 },
    result: result(rate),
  }));

  const text = sections.find(({ name }) => name === "throughput")?.text(rows, {});

  expect(text).toContain("For a sent message they need 7.0 ms more");
  expect(text).toContain("| send: many writers, one topic | 16 | 64.0 |");
  expect(text).toContain("16 writers in one topic send 1.60 times as many messages a second as one writer");
  expect(text).toContain("with a topic each\n2.00 times as many");
});
