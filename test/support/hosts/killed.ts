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
  /** Starts to kill one process after another. */
  startKilling(): void;
  /** Stops killing, and resolves when no process is being killed or started. */
  stopKilling(): Promise<void>;
  /** Ends the processes, and all senders and listeners. */
  end(): void;
  ended(): boolean;
}

/**
 * Starts processes and, from `startKilling` until `stopKilling` or `end`, kills one after another at random moments and starts it
 * again after 1 to 5 times `restMs`. `kill` must end the process, which it may do by what the process needs.
 */
export async function killAtRandom<V extends Victim>(
  start: () => Promise<V>,
  {
    processCount = 3,
    restMs = 300,
    kill = ({ child }) => void child.kill("SIGKILL"),
  }: { processCount?: number; restMs?: number; kill?: (victim: V) => void } = {},
): Promise<RandomKiller<V>> {
  const running = (await Promise.all(Array.from({ length: processCount }, start))) as V[];
  let isStopped = false;
  let ended = false;
  const endAll = () => {
    for (const { child } of running) child.kill("SIGKILL");
  };
  let kills = 0;
  let killLoop = Promise.resolve();
  const killRepeatedly = async () => {
    for (; !isStopped; kills++) {
      await pause(restMs * (1 + Math.random() * 4));
      const victim = running[kills % processCount] as V;
      const { exitCode, signalCode } = victim.child;
      kill(victim);
      if (exitCode === null && signalCode === null) await once(victim.child, "exit");
      if (!ended) running[kills % processCount] = await start();
    }
    // Also ends a process that was just being started.
    if (ended) endAll();
  };
  return {
    kills: () => kills,
    startKilling: () => {
      killLoop = killRepeatedly();
    },
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

/** A client, with the message IDs that it received, and those that it should have received, in order. */
interface ListenerResult extends KillTestClient {
  expected: number[];
}

export interface KillTestResult {
  listeners: ListenerResult[];
  sent: number;
  /** Messages in the channels. */
  stored: number;
  /** Sends that got no answer, or an error. */
  unacknowledged: number;
  /** Polls that returned messages after a redirect. */
  redirected: number;
}

/** A client, and the IDs of the messages that it has received. */
export interface KillTestClient {
  person: Person;
  queueId: string;
  received: number[];
}

/** Makes a request at any process. */
export type RequestAnywhere = (
  person: Person,
  method: string,
  path: string,
  params: Record<string, unknown>,
) => Promise<any>;

/**
 * Sends messages to two channels, one of them private, while `listeners` receive them, by polls or by `receive`, each request at any
 * process: at least `messages`, and until `kills` processes have been killed and `redirects` polls have returned messages after a
 * redirect. Each sender pauses for up to `pauseMs` after each message.
 */
export async function receiveWhileKilling(
  killer: RandomKiller<Victim>,
  register: (person: Person, options: Record<string, unknown>) => Promise<string>,
  {
    pauseMs = 0,
    redirects = 0,
    messages = 600,
    kills = 5,
    senders = 8,
    listeners = 20,
    receive,
    listIds = idsIn,
  }: {
    pauseMs?: number;
    redirects?: number;
    messages?: number;
    kills?: number;
    senders?: number;
    listeners?: number;
    receive?: (client: KillTestClient, request: RequestAnywhere, isDone: () => boolean) => Promise<void>;
    /** The IDs of a channel's messages. */
    listIds?: (channelId: number, sender: Person, request: RequestAnywhere) => Promise<number[]>;
  } = {},
): Promise<KillTestResult> {
  const [insider, outsider, sender] = await Promise.all([aPerson("Insider"), aPerson("Outsider"), aPerson("Sender")]);
  const open = await aChannel("open", [insider, outsider, sender]);
  const closed = await aChannel("closed", [insider, sender], { inviteOnly: true });
  const request: RequestAnywhere = async (person, method, path, params) => {
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
    Array.from({ length: listeners }, async (_, index) => {
      const person = index % 2 === 0 ? insider : outsider;
      const queueId = await register(person, { event_types: ["message"], fetch_event_types: [] });
      return { person, queueId, received: [] as number[] };
    }),
  );
  killer.startKilling();
  const poll = async ({ person, queueId, received }: KillTestClient, isDone: () => boolean) => {
    for (let lastEventId = -1; !isDone(); ) {
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
  };
  const listening = clients.map((client) => {
    const { person, received } = client;
    const isDone = () =>
      killer.ended() || (expectedIds !== undefined && received.length >= (expectedIds.get(person)?.length ?? 0));
    return receive ? receive(client, request, isDone) : poll(client, isDone);
  });

  let sentCount = 0;
  let unacknowledged = 0;
  const isEnough = () => sentCount >= messages && killer.kills() >= kills && redirected >= redirects;
  await Promise.all(
    Array.from({ length: senders }, async () => {
      while (!isEnough() && !killer.ended()) {
        const number = sentCount++;
        const to = number % 3 === 0 ? closed.id : open.id;
        const params = { type: "channel", to, topic: "kills", content: `message ${number}` };
        const reply = await request(sender, "POST", "/messages", params).catch(() => undefined);
        if (reply?.result !== "success") unacknowledged++;
        if (pauseMs > 0) await pause(Math.random() * pauseMs);
      }
    }),
  );
  await killer.stopKilling();
  const [inOpen = [], inClosed = []] = await Promise.all([open, closed].map(({ id }) => listIds(id, sender, request)));
  const allIds = [...inOpen, ...inClosed].sort((a, b) => a - b);
  expectedIds = new Map([
    [outsider, inOpen],
    [insider, allIds],
  ]);
  await Promise.all(listening);
  const results = clients.map((client) => ({ ...client, expected: expectedIds?.get(client.person) ?? [] }));
  return { listeners: results, sent: sentCount, stored: allIds.length, unacknowledged, redirected };
}

async function idsIn(channelId: number): Promise<number[]> {
  const everything = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: false, limit: Number.POSITIVE_INFINITY };
  return (await readPartition("gsi1", channelPartition(channelId), everything)).map((message) => message.id);
}
