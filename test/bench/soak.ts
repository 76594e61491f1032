import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { aHistory, ordinaryText } from "../support/seeding.ts";
import { Client } from "./client.ts";
import { percentiles } from "./load.ts";
import { type Section, table } from "./section.ts";
import { type Actor, anybody, aStage, channelOf, residentMb } from "./stage.ts";

/** An hour of so many people's requests is pressed into 600 s; a shorter soak keeps their pace. */
const people = 500;
const requestsInHour = 42_000;
const seconds = Number(process.env.SKEIN_SOAK_SECONDS ?? 60);
const connections = 24;
/** One AWS call in so many fails in the second part. */
const failing = 50;

interface Part {
  requests: number;
  /** Statuses and codes of replies that were no success, with their numbers. */
  refused: Record<string, number>;
  /** By quarters of the time. */
  p50Ms: number[];
  p99Ms: number[];
  residentMb: number[];
}

interface Soaked {
  seconds: number;
  calm: Part;
  failing: Part & { sent: number; unsure: number; lost: number; twice: number; scheduled: number; undelivered: number };
}

/** An organization's traffic for a while, then the same with a table, queues and schedules that fail. */
export const soak: Section<Soaked> = {
  name: "soak",
  document: "docs/speed.md",
  title: "Soak",
  measure: async () => {
    const folder = mkdtempSync(join(tmpdir(), "skein-soak-"));
    const faults = join(folder, "share");
    const stage = await aStage({ program: "test/bench/failing-host.ts", env: { SKEIN_BENCH_FAULTS: faults } });
    const set = (share: number) => writeFileSync(faults, String(share));
    try {
      return await soaked(stage.url, stage.pid, set);
    } finally {
      await stage.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  text: ({ seconds: took, calm, failing: bad }) =>
    [
      `The requests of an organization of ${people} people, ${requestsInHour.toLocaleString("en-US")} in an hour (presence, sending, fetching, reacting, marking, typing, polling,`,
      `scheduling, registering), come six times as fast as in life for ${took} s (\`SKEIN_SOAK_SECONDS=600\` makes it the whole hour).`,
      `Then comes half as much with one in ${failing} of the functions' calls to the table, the queues and the scheduler failing, throttled or broken,`,
      "half of them after they have taken effect.",
      "",
      table(
        ["", "requests", "p50 ms by quarters", "p99 ms by quarters", "resident MB by quarters", "not successful"],
        (
          [
            ["calm", calm],
            ["failing", bad],
          ] as const
        ).map(([name, part]) => [
          name,
          part.requests,
          ...[part.p50Ms, part.p99Ms, part.residentMb].map((values) =>
            values.map((value) => Math.round(value)).join(", "),
          ),
          Object.entries(part.refused)
            .map(([what, times]) => `${times} × ${what}`)
            .join("; ") || "none",
        ]),
      ),
      "",
      `Of ${bad.sent} messages that were acknowledged while calls failed, ${bad.lost} were lost; ${bad.twice} of these or of the ${bad.unsure} whose senders were told of an`,
      `error were there twice. Of ${bad.scheduled} scheduled messages ${bad.undelivered} were not delivered.`,
    ].join("\n"),
};

type Mix = readonly [share: number, kind: string];
const mix: readonly Mix[] = [
  [0.4, "presence"],
  [0.14, "poll"],
  [0.12, "fetch"],
  [0.1, "mark"],
  [0.1, "type"],
  [0.08, "send"],
  [0.03, "react"],
  [0.02, "register"],
  [0.01, "schedule"],
];

async function soaked(url: string, pid: number, setFaults: (share: number) => void): Promise<Soaked> {
  const actors = await anybody(people);
  const channel = await channelOf("soak", actors);
  const { last } = await aHistory(2000, { channel, senderId: (place) => actors[place % people]?.id ?? 0 });
  const client = new Client(url, connections);
  const queues = new Map<number, string>();
  for (const [index, actor] of actors.slice(0, 50).entries())
    queues.set(
      index,
      JSON.parse(String((await client.call(actor, "POST", "/register", { event_types: ["message"] })).bytes)).queue_id,
    );
  let place = 0;
  const told = { sent: new Set<string>(), unsure: new Set<string>(), scheduled: new Set<string>() };
  const ask = async (kind: string) => {
    const number = place++;
    const actor = actors[number % people] as Actor;
    const topic = `soak ${number % 20}`;
    const to = { type: "channel", to: channel.id, topic };
    const listener = actors[number % 50] as Actor;
    const content = `soaked ${number} ${ordinaryText.slice(0, 200)}`;
    const asked: Record<string, () => ReturnType<Client["call"]>> = {
      presence: () => client.call(actor, "POST", "/users/me/presence", { status: "active", last_update_id: 0 }),
      poll: () =>
        client.call(listener, "GET", "/events", {
          queue_id: queues.get(number % 50),
          last_event_id: -1,
          dont_block: true,
        }),
      fetch: () =>
        client.call(actor, "GET", "/messages", {
          anchor: "newest",
          num_before: 100,
          num_after: 0,
          narrow: [
            { operator: "channel", operand: channel.id },
            { operator: "topic", operand: topic },
          ],
        }),
      mark: () =>
        client.call(actor, "POST", "/messages/flags", { messages: [last - (number % 1900)], op: "add", flag: "read" }),
      type: () => client.call(actor, "POST", "/typing", { type: "stream", op: "start", stream_id: channel.id, topic }),
      send: () => client.call(actor, "POST", "/messages", { ...to, content }),
      react: () => client.call(actor, "POST", `/messages/${last - (number % 1900)}/reactions`, { emoji_name: "tada" }),
      register: () =>
        client.call(actor, "POST", "/register", { event_types: ["message"], fetch_event_types: ["realm"] }),
      schedule: () =>
        client.call(actor, "POST", "/scheduled_messages", {
          ...to,
          content: `later ${content}`,
          scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 5,
        }),
    };
    const answer = await (asked[kind] as () => ReturnType<Client["call"]>)();
    if (kind === "send") (answer.status === 200 ? told.sent : told.unsure).add(`soaked ${number} `);
    if (kind === "schedule" && answer.status === 200) told.scheduled.add(`later soaked ${number} `);
    return answer;
  };
  console.log("  calm ...");
  const calm = await part(seconds, pid, ask);
  for (const kind of Object.values(told)) kind.clear();
  console.log("  failing ...");
  setFaults(1 / failing);
  const bad = await part(seconds / 2, pid, ask);
  setFaults(0);
  const there = await eventuallyThere(client, actors[0] as Actor, channel.id, told.scheduled);
  client.close();
  const times = (text: string) => there.get(text) ?? 0;
  return {
    seconds,
    calm,
    failing: {
      ...bad,
      ...{ sent: told.sent.size, unsure: told.unsure.size, scheduled: told.scheduled.size },
      lost: [...told.sent].filter((text) => times(text) === 0).length,
      twice: [...told.sent, ...told.unsure, ...told.scheduled].filter((text) => times(text) > 1).length,
      undelivered: [...told.scheduled].filter((text) => times(text) === 0).length,
    },
  };
}

/** Requests at the pace of `requestsInHour`, six times as fast, for some seconds. */
async function part(
  lasting: number,
  pid: number,
  ask: (kind: string) => Promise<{ status: number; bytes: Buffer }>,
): Promise<Part> {
  const perSecond = (requestsInHour / 3600) * 6;
  const total = Math.round(perSecond * lasting);
  const took: [at: number, ms: number][] = [];
  const refused: Record<string, number> = {};
  const memory: number[] = [];
  const startedAt = performance.now();
  let next = 0;
  const worker = async () => {
    for (let number = next++; number < total; number = next++) {
      const due = startedAt + (number / perSecond) * 1000;
      if (due > performance.now()) await pause(due - performance.now());
      const at = performance.now();
      const { status, bytes } = await ask(kindOf(number));
      took.push([number / total, performance.now() - at]);
      if (number % Math.ceil(total / 4) === Math.ceil(total / 4) - 1) memory.push(residentMb(pid));
      if (status !== 200) {
        const what = `${status} ${JSON.parse(String(bytes)).code}`;
        refused[what] = (refused[what] ?? 0) + 1;
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  memory.push(residentMb(pid));
  const quarters = [0, 1, 2, 3].map((quarter) =>
    percentiles(took.flatMap(([at, ms]) => (Math.floor(at * 4) === quarter ? ms : []))),
  );
  return {
    requests: total,
    refused,
    p50Ms: quarters.map(({ p50Ms }) => p50Ms),
    p99Ms: quarters.map(({ p99Ms }) => p99Ms),
    residentMb: memory,
  };
}

/** The same kinds each time, well mixed. */
function kindOf(number: number): string {
  let at = (number * 0.618_033_988_75) % 1;
  for (const [share, kind] of mix) {
    if (at < share) return kind;
    at -= share;
  }
  return "presence";
}

/** How often each text of the soak is there, once the scheduled ones have come, or after two minutes. */
async function eventuallyThere(
  client: Client,
  reader: Actor,
  channelId: number,
  awaited: ReadonlySet<string>,
): Promise<Map<string, number>> {
  for (const end = Date.now() + 120_000; ; await pause(2000)) {
    const there = new Map<string, number>();
    for (let anchor: number | "newest" = "newest"; ; ) {
      const narrow = [{ operator: "channel", operand: channelId }];
      const asked = {
        anchor,
        num_before: 1000,
        num_after: 0,
        include_anchor: anchor === "newest",
        narrow,
        apply_markdown: false,
      };
      const { messages, found_oldest } = JSON.parse(
        String((await client.call(reader, "GET", "/messages", asked)).bytes),
      );
      for (const { content } of messages) {
        const [text] = /^(later )?soaked \d+ /.exec(content) ?? [];
        if (text) there.set(text, (there.get(text) ?? 0) + 1);
      }
      if (found_oldest || messages.length === 0) break;
      anchor = messages[0].id;
    }
    if (Date.now() > end || [...awaited].every((text) => there.has(text))) return there;
  }
}
