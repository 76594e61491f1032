import { isEndpoint, loadFleet } from "../infra/fleet.ts";
import { router } from "../infra/local/routes.ts";
import { updateChannelStats } from "../shared/store/channels/channels.ts";
import { createSubscription } from "../shared/store/channels/subscriptions.ts";
import { findTopicRecord, raiseTopicMaxId } from "../shared/store/channels/topics.ts";
import { cursors } from "../shared/store/log/cursors.ts";
import { putManifest, readManifest } from "../shared/store/messages/search-index.ts";
import { bumpUsersVersion } from "../shared/store/organization/organization.ts";
import { batchWrite } from "../shared/store/table/bulk.ts";
import { updateItem } from "../shared/store/table/single-writes.ts";
import { transact } from "../shared/store/table/transactions.ts";
import type { Item } from "../shared/store/table/writes.ts";
import { createUser } from "../shared/store/users/users.ts";
import { seedTable } from "../test/support/table/seed-table.ts";
import { historyItems, takeMessageIds } from "../test/support/table/seeding.ts";
import { advanceClock } from "./host/bench-clock.ts";
import { type Actor, type BenchHost, createChannel, createUsers, onBenchHost } from "./host/bench-host.ts";
import { invoke } from "./host/invoke.ts";
import { monthOf } from "./month/behaviour.ts";
import { assumed, costOfRun, dollars, functionGb, prices } from "./month/prices.ts";
import type { OperationContext } from "./operations/operation.ts";
import { operations } from "./operations/operations.ts";
import { firstFillerId } from "./operations/recent-pings.ts";
import { type Section, table } from "./section.ts";
import { variedText } from "./texts.ts";

/** The sizes of the organization for which operations are counted. All users are subscribed to the channel that has the messages. */
const sizes = [
  { users: 10, messages: 1_000 },
  { users: 50, messages: 5_000 },
  { users: 100, messages: 10_000 },
  { users: 1_000, messages: 100_000 },
  { users: 10_000, messages: 1_000_000 },
] as const;

/** The time between two operations: more than the 30 s for which a written item counts as recent. */
const quietSeconds = 40;

/** Calls that people make every day. */
const everyday = new Set([
  ...Object.keys(monthOf(50).operations),
  "register",
  "poll, nothing new",
  "poll, one message",
]);
/** A call is shown if its price in the largest organization is more than this many times that in the smallest. */
const notableGrowth = 10;

/** What one operation used. */
export interface CountedCall {
  name: string;
  endpoint: string;
  readUnits: number;
  writeUnits: number;
  tableCalls: number;
  /** The number of table calls that had to run one after another. */
  stages: number;
  /** Calls to services other than DynamoDB. */
  otherCalls: number;
  /** Bytes sent to a client that accepts gzip. */
  sentBytes: number;
}

export interface CallFigures {
  sizes: { users: number; messages: number; counted: CountedCall[] }[];
}

const priceOfCall = ({ readUnits, writeUnits, otherCalls, stages }: Omit<CountedCall, "name" | "endpoint">) =>
  readUnits * prices.readUnit +
  writeUnits * prices.writeUnit +
  otherCalls * prices.queueRequest +
  prices.gatewayRequest +
  costOfRun(stages);

export const calls: Section<CallFigures> = {
  name: "calls",
  document: "docs/cost.md",
  title: "What each call costs",
  measure: () => onBenchHost(countAll),
  text: ({ sizes: measured }) => {
    const largest = measured.at(-1)?.counted ?? [];
    const ends = [measured[0], measured.at(-1)].filter((size) => size !== undefined);
    /** A figure of an operation: one number if it is the same for the smallest and the largest size, else both. */
    const atEnds = (name: string, figureOf: (call: CountedCall) => number) => {
      const values = ends.map(({ counted }) => figureOf(counted.find((call) => call.name === name) as CountedCall));
      return [...new Set(values)].join(" → ");
    };
    const messagePrices = new Set(
      ends.map(({ counted }) => priceOf(counted.find(({ name }) => name === "send to a channel") as CountedCall)),
    );
    const isShown = ({ name }: CountedCall) => {
      const [small = 0, large = 0] = ends.map(({ counted }) =>
        priceOfCall(counted.find((call) => call.name === name) as CountedCall),
      );
      return everyday.has(name) || large > notableGrowth * small;
    };
    const others = largest
      .filter((call) => !isShown(call))
      .map((call) => priceOfCall(call) * 1e6)
      .sort((a, b) => a - b);
    const sizesInWords = ends
      .map(({ users, messages }) => `${formatted(users)} users and ${formatted(messages)} messages`)
      .reverse()
      .join(", all in one channel, as with ");
    return [
      `A million messages to a channel cost ${[...messagePrices].join(" → ")} with ${ends.map(({ users }) => formatted(users)).join(" or ")} subscribers: each message is written once.`,
      `The table shows the calls of [a working day](#what-the-bill-assumes), and those that cost at least ${notableGrowth} times as much with`,
      `${sizesInWords} (→). The`,
      `other ${others.length} calls, which are in [bench/figures.generated.json](../bench/figures.generated.json), cost ${dollars(others[0] ?? 0)} to ${dollars(others.at(-1) ?? 0)} a million.`,
      "The [glossary](glossary.md) explains units and stages; an item that was written in the last 30 s costs up to one more read unit.",
      "*$ per million*, at the larger size, adds up the units, requests to other services, the requests to API Gateway and Lambda, and",
      `${assumed.runMs} ms plus ${assumed.stageMs} ms a stage of a function with ${functionGb * 1024} MB (assumed, not measured).`,
      "",
      table(
        ["call", "read units", "write units", "stages", "$ per million"],
        largest
          .filter(isShown)
          .map((call) => [
            call.name,
            atEnds(call.name, ({ readUnits }) => readUnits),
            atEnds(call.name, ({ writeUnits }) => writeUnits),
            atEnds(call.name, ({ stages }) => stages),
            priceOf(call),
          ]),
      ),
    ].join("\n");
  },
};

const priceOf = (call: CountedCall) => dollars(priceOfCall(call) * 1e6);
const formatted = (count: number) => count.toLocaleString("en-US");

async function countAll(host: BenchHost): Promise<CallFigures> {
  const organization = await anOrganization(host);
  const results: CallFigures["sizes"] = [];
  for (const { users, messages } of sizes) {
    const counted = await countOperations(await organization.grow(users, messages));
    console.log(`  ${users} users, ${messages} messages: ${counted.length} calls counted`);
    results.push({ users, messages, counted });
  }
  return { sizes: results };
}

/** An organization whose users are all subscribed to the channel that has the messages. `grow` returns what operations use of it. */
export async function anOrganization(host: BenchHost) {
  const { body } = await invoke(undefined, {
    method: "POST",
    path: "/dev_fetch_api_key",
    params: { username: "owner@globe.test" },
  });
  const onDevice: Actor = { id: body.user_id, email: "owner@globe.test", apiKey: body.api_key };
  // A device's key notes its use once an hour, which would be counted for whatever operation the moved clock has reached by then.
  const renewed = await invoke(onDevice, { method: "POST", path: "/users/me/api_key/regenerate", params: {} });
  const owner: Actor = { ...onDevice, apiKey: renewed.body.api_key };
  // With the moved clock, the message that an operation edits is older than the default edit limit.
  await invoke(owner, {
    method: "PATCH",
    path: "/realm",
    params: { message_content_edit_limit_seconds: "unlimited" },
  });
  const [member, other] = (await createUsers(2)) as [Actor, Actor];
  const channel = await createChannel("breach", [owner, member, other]);
  const existing = { users: 3, messages: 0, times: 0 };
  const grow = async (users: number, messages: number): Promise<OperationContext> => {
    await addUsers(firstFillerId + existing.users, users - existing.users, channel.id);
    const count = messages - existing.messages;
    const first = await takeMessageIds(count);
    const seed = {
      channel,
      senderId: (index: number) => (index % 2 ? other : member).id,
      topic: (index: number) => `breach ${index % 10}`,
      text: variedText,
    };
    for (const items of historyItems(first, count, seed)) await seedTable(host, items);
    await recordAsIndexed(channel.id, first + count - 1);
    const suffix = `s${existing.times}`;
    Object.assign(existing, { users, messages, times: existing.times + 1 });
    const [leaver] = (await createUsers(1)) as [Actor];
    return {
      ...{ owner, member, other, leaver },
      ...{ channel, topic: "breach 1", newestId: first + count - 1 },
      ...{ users, suffix, replies: {} },
    };
  };
  return { grow };
}

/** Runs all operations, and counts what each uses. Throws when one of them fails. */
export async function countOperations(context: OperationContext): Promise<CountedCall[]> {
  const findRoute = router((await loadFleet()).filter(isEndpoint));
  const counts: CountedCall[] = [];
  const failures: string[] = [];
  for (const { name, by, prepare, followsAtOnce, request } of operations) {
    if (!followsAtOnce) advanceClock(quietSeconds);
    await prepare?.(context);
    const sent = request(context);
    const reply = await invoke(by === "nobody" ? undefined : context[by ?? "member"], sent);
    if (reply.status !== 200) failures.push(`${name}: ${JSON.stringify(reply.body)}`);
    context.replies[name] = reply.body;
    const path = sent.path.startsWith("//") ? sent.path.slice(1) : `/api/v1${sent.path}`;
    const route = findRoute(sent.method, path.split("?")[0] ?? path)?.member.spec;
    const endpoint = route ? `${route.method} ${route.path}` : "";
    const { readUnits, writeUnits, tableCalls, stages, otherCalls } = reply.record;
    const { sentBytes } = reply;
    counts.push({ name, endpoint, readUnits, writeUnits, tableCalls, stages, otherCalls, sentBytes });
  }
  if (failures.length > 0) throw new Error(failures.join("\n"));
  return counts;
}

/** Raises the topics' newest IDs and the search cursor, as the log consumer would: the seeded messages are not in the log. */
async function recordAsIndexed(channelId: number, lastId: number): Promise<void> {
  for (let index = 0; index < 10; index++) {
    const name = `breach ${index}`;
    await raiseTopicMaxId(await findTopicRecord(channelId, name), { channelId, name, maxId: lastId - index });
  }
  await updateItem(cursors.search, { set: { message: lastId } });
  await transact([putManifest({ ...(await readManifest()), indexedTo: lastId })]);
}

/** A subscription with the default settings. */
const plainSubscription = {
  ...{ active: true, periods: [[1]] as [number][], color: "#76ce90", isMuted: false, pinToTop: false },
  ...{ desktopNotifications: null, audibleNotifications: null, pushNotifications: null },
  ...{ emailNotifications: null, wildcardMentionsNotify: null },
};

/** Creates users with only the items that lists of users and subscribers read. */
async function addUsers(first: number, count: number, channelId: number): Promise<void> {
  const items: Item[] = [];
  for (let id = first; id < first + count; id++) {
    const user = {
      ...{ id, email: `p${id}@globe.test`, fullName: `Player number ${id}`, role: 400 as const, active: true },
      ...{ joinedAt: 1_700_000_000, timezone: "Europe/London", avatarSource: "G" as const, avatarVersion: 1 },
    };
    const write = createUser(user);
    if (write.kind === "put") items.push(write.item);
    const added = createSubscription({ ...plainSubscription, userId: id, channelId });
    if (added.kind === "put") items.push(added.item);
  }
  await batchWrite(items);
  await transact([updateChannelStats(channelId, { add: { subscriberCount: count } }), bumpUsersVersion()]);
}
