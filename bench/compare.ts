import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../infra/local/engine.ts";
import { ordinaryText } from "../test/support/table/seeding.ts";
import type { Comparison } from "./comparison.ts";
import { readFigures, writeDocuments } from "./document.ts";
import { type Actor, cpuMs } from "./host/bench-host.ts";
import { Client } from "./host/client.ts";
import { load } from "./host/load.ts";
import { sections } from "./sections.ts";

/**
 * `node run.mjs bench/compare.ts <checkout> <what changed since> <where the difference goes>`: runs the hosts of another
 * checkout and of this one at the same time, alternately sends both the same requests, and writes the result to
 * docs/speed.md. Other load on the machine affects both alike, and hardly changes the CPU time of a request.
 */

const [other, change = "an earlier version", explanation] = process.argv.slice(2);
if (!other) {
  console.error("Name the checkout to compare with, for example: node run.mjs bench/compare.ts ../skein-before");
  process.exit(2);
}
const widths = [1, 16, 64];
const turns = 3;
const seconds = 0.6;
const people = Array.from({ length: 16 }, (_, n) => ({ email: `p${n}@bench.test`, full_name: `Person ${n}` }));

interface Side {
  url: string;
  pid: number;
  actors: Actor[];
  queues: string[];
  stop(): Promise<void>;
}

async function start(checkout: string): Promise<Side> {
  const folder = mkdtempSync(join(tmpdir(), "skein-compare-"));
  const [owner, ...members] = people;
  const organization = join(folder, "organization.json");
  writeFileSync(
    organization,
    JSON.stringify({
      name: "Bench",
      users: [{ ...owner, role: "owner", password: "threads-and-engines" }, ...members],
      channels: [{ name: "general", is_default_stream: true }],
    }),
  );
  const port = await freePort();
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", "infra/local/start.ts"], {
    cwd: resolve(checkout),
    env: {
      ...process.env,
      PORT: String(port),
      SKEIN_DATA: join(folder, "data"),
      SKEIN_ORG: organization,
      SKEIN_MAIL_FROM: "",
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = new Promise((done) => child.once("exit", done));
  const url = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${url}/api/v1/server_settings`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) await pause(100);
  const actors: Actor[] = [];
  for (const { email } of people) {
    const reply = await fetch(`${url}/api/v1/dev_fetch_api_key`, {
      method: "POST",
      body: new URLSearchParams({ username: email }),
    });
    const { api_key, user_id } = (await reply.json()) as { api_key: string; user_id: number };
    actors.push({ id: user_id, email, apiKey: api_key });
  }
  const client = new Client(url, 8);
  const queues: string[] = [];
  for (const actor of actors) {
    const { bytes } = await client.call(actor, "POST", "/register", { event_types: ["muted_users"] });
    queues.push(JSON.parse(String(bytes)).queue_id);
  }
  for (let n = 0; n < 120; n++) await client.call(actors[n % 16] as Actor, ...message("breach"));
  client.close();
  return {
    ...{ url, pid: child.pid as number, actors, queues },
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Request = [method: string, path: string, params?: Record<string, unknown>];

const message = (topic: string): Request => [
  "POST",
  "/messages",
  { type: "channel", to: "general", topic, content: ordinaryText },
];
const narrow = [
  { operator: "channel", operand: "general" },
  { operator: "topic", operand: "breach" },
];
const acts = {
  poll: ({ queues }: Side, n: number): Request => [
    "GET",
    "/events",
    { queue_id: queues[n % 16], last_event_id: -1, dont_block: true },
  ],
  register: (): Request => ["POST", "/register", {}],
  "fetch 100": (): Request => ["GET", "/messages", { anchor: "newest", num_before: 100, num_after: 0, narrow }],
  send: (_: Side, n: number): Request => message(`of ${n}`),
};

async function measure(side: Side, act: keyof typeof acts, connections: number, duration: number) {
  const client = new Client(side.url, connections);
  const before = cpuMs(side.pid);
  const result = await load(connections, duration, async (n) => {
    const { status, bytes } = await client.call(side.actors[n % 16] as Actor, ...acts[act](side, n));
    if (status !== 200) throw new Error(`${act}: ${bytes}`);
  });
  client.close();
  return { ...result, cpuMs: cpuMs(side.pid) - before };
}

const [before, after] = await Promise.all([start(other), start(resolve(import.meta.dirname, ".."))]);
const rows: Comparison["rows"] = [];
try {
  for (const act of Object.keys(acts) as (keyof typeof acts)[])
    for (const connections of widths) {
      for (const side of [before, after]) await measure(side, act, connections, 0.3);
      const totals = {
        before: { requests: 0, cpu: 0, rate: 0, p50: 0 },
        after: { requests: 0, cpu: 0, rate: 0, p50: 0 },
      };
      for (let turn = 0; turn < turns; turn++)
        for (const [name, side] of [
          ["before", before],
          ["after", after],
        ] as const) {
          const found = await measure(side, act, connections, seconds);
          const total = totals[name];
          total.requests += found.requests;
          total.cpu += found.cpuMs;
          total.rate += found.requestsPerSecond / turns;
          total.p50 += found.p50Ms / turns;
        }
      const shown = ({ requests, cpu, rate, p50 }: (typeof totals)["before"]) => ({
        cpuMs: cpu / requests,
        requestsPerSecond: rate,
        p50Ms: p50,
      });
      const row = { act, connections, before: shown(totals.before), after: shown(totals.after) };
      rows.push(row);
      console.log(JSON.stringify(row));
    }
} finally {
  await Promise.all([before.stop(), after.stop()]);
}
const comparison: Comparison = { change, explanation, rows };
writeDocuments(sections, { ...readFigures(), comparison });
process.exit(0);
