import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { channelPartition, readPartition } from "../../../shared/store/messages/messages.ts";
import { aChannel, aPerson, type Person } from "../world.ts";

/** Kills processes that run functions (SIGKILL) at random moments while messages are sent and received. */

export interface Victim {
  child: ChildProcess;
  url: string;
}

export interface RandomKiller<V extends Victim> {
  /** A running process, unless it has just died. */
  pick(): V;
  /** The number of kills so far. */
  kills(): number;
  /** Stops killing, and resolves when no process is being killed or started. */
  stopKilling(): Promise<void>;
  /** Ends the processes, and all senders and listeners. */
  end(): void;
  ended(): boolean;
}

const processCount = 3;

/** Starts three processes and, until `stopKilling` or `end`, kills one after another at random moments and starts it again. */
export async function killAtRandom<V extends Victim>(start: () => Promise<V>): Promise<RandomKiller<V>> {
  const running = (await Promise.all(Array.from({ length: processCount }, start))) as V[];
  let isStopped = false;
  let ended = false;
  const endAll = () => {
    for (const { child } of running) child.kill("SIGKILL");
  };
  let kills = 0;
  const killLoop = (async () => {
    for (; !isStopped; kills++) {
      await pause(300 + Math.random() * 1200);
      const victim = running[kills % processCount] as V;
      const { exitCode, signalCode } = victim.child;
      victim.child.kill("SIGKILL");
      if (exitCode === null && signalCode === null) await once(victim.child, "exit");
      if (!ended) running[kills % processCount] = await start();
    }
    // Also ends a process that was just being started.
    if (ended) endAll();
  })();
  return {
    kills: () => kills,
    pick: () => {
      const alive = running.filter(({ child }) => child.signalCode === null && !child.killed);
      return alive[Math.floor(Math.random() * alive.length)] as V;
    },
    stopKilling: () => {
      isStopped = true;
      return killLoop;
    },
    end: () => {
      isStopped = true;
      ended = true;
      endAll();
    },
    ended: () => ended,
  };
}

const [messageCount, killCount, senderCount, listenerCount] = [600, 5, 8, 20];

/** The message IDs that a client received, and those that it should have received, in order. */
export interface ListenerResult {
  received: number[];
  expected: number[];
}

export interface KillTestResult {
  listeners: ListenerResult[];
  sent: number;
  /** Messages in the channels. */
  stored: number;
  /** Sends that got no answer. */
  unanswered: number;
  /** Polls that returned messages after a redirect. */
  redirected: number;
}

/**
 * Sends messages to two channels, one of them private, while 20 clients poll, each request at any process: at least 600
 * messages, and until five processes have been killed and `redirects` polls have returned messages after a redirect. Each
 * sender pauses for up to `pauseMs` after each message.
 */
export async function receiveWhileKilling(
  killer: RandomKiller<Victim>,
  register: (person: Person, options: Record<string, unknown>) => Promise<string>,
  { pauseMs = 0, redirects = 0 } = {},
): Promise<KillTestResult> {
  const [insider, outsider, sender] = await Promise.all([aPerson("Insider"), aPerson("Outsider"), aPerson("Sender")]);
  const open = await aChannel("open", [insider, outsider, sender]);
  const closed = await aChannel("closed", [insider, sender], { inviteOnly: true });
  const request = async (person: Person, method: string, path: string, params: Record<string, unknown>) => {
    const { url } = killer.pick();
    const authorization = `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString("base64")}`;
    const form = new URLSearchParams(Object.entries(params).map(([name, value]) => [name, String(value)]));
    const [query, body] = method === "GET" ? [`?${form}`, {}] : ["", { body: form }];
    const reply = await fetch(`${url}/api/v1${path}${query}`, { method, headers: { authorization }, ...body });
    return { redirected: reply.redirected, ...((await reply.json()) as any) };
  };

  let expectedIds: Map<Person, number[]> | undefined;
  let redirected = 0;
  const clients = await Promise.all(
    Array.from({ length: listenerCount }, async (_, index) => {
      const person = index % 2 === 0 ? insider : outsider;
      const queueId = await register(person, { event_types: ["message"], fetch_event_types: [] });
      return { person, queueId, received: [] as number[] };
    }),
  );
  const listening = clients.map(async ({ person, queueId, received }) => {
    for (
      let lastEventId = -1;
      !killer.ended() && !(expectedIds && received.length >= (expectedIds.get(person)?.length ?? 0));
    ) {
      const params = { queue_id: queueId, last_event_id: lastEventId };
      const reply = await request(person, "GET", "/events", params).catch(() => undefined);
      // Without a reply, the process was killed: poll again.
      if (!reply?.events) await pause(20);
      for (const event of reply?.events ?? []) {
        lastEventId = event.id;
        if (event.type === "message") received.push(event.message.id);
      }
      if (reply?.redirected && reply.events?.some(({ type }: { type: string }) => type === "message")) redirected++;
    }
  });

  let sentCount = 0;
  let unanswered = 0;
  const isEnough = () => sentCount >= messageCount && killer.kills() >= killCount && redirected >= redirects;
  await Promise.all(
    Array.from({ length: senderCount }, async () => {
      while (!isEnough() && !killer.ended()) {
        const number = sentCount++;
        const to = number % 3 === 0 ? closed.id : open.id;
        const params = { type: "channel", to, topic: "kills", content: `message ${number}` };
        await request(sender, "POST", "/messages", params).catch(() => unanswered++);
        if (pauseMs > 0) await pause(Math.random() * pauseMs);
      }
    }),
  );
  const [inOpen = [], inClosed = []] = await Promise.all([open, closed].map(({ id }) => idsIn(id)));
  const allIds = [...inOpen, ...inClosed].sort((a, b) => a - b);
  expectedIds = new Map([
    [outsider, inOpen],
    [insider, allIds],
  ]);
  await killer.stopKilling();
  await Promise.all(listening);
  const results = clients.map(({ person, received }) => ({ received, expected: expectedIds?.get(person) ?? [] }));
  return { listeners: results, sent: sentCount, stored: allIds.length, unanswered, redirected };
}

async function idsIn(channelId: number): Promise<number[]> {
  const everything = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: false, limit: Number.POSITIVE_INFINITY };
  return (await readPartition("gsi1", channelPartition(channelId), everything)).map((message) => message.id);
}
