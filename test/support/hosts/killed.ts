import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { channelPartition, readPartition } from "../../../shared/store/messages/messages.ts";
import { aChannel, aPerson, type Person } from "../world.ts";

/** Processes in which functions run, and which are killed (SIGKILL) at any moment; and what is sent and heard meanwhile. */

export interface Victim {
  child: ChildProcess;
  url: string;
}

export interface Killing<V extends Victim> {
  /** One that runs, as far as is known. */
  pick(): V;
  /** Kills no more; returns how many were. */
  over(): Promise<number>;
  /** Ends the processes, and all that sends and listens. */
  end(): void;
  ended(): boolean;
}

const processes = 3;

export async function killAtRandom<V extends Victim>(start: () => Promise<V>): Promise<Killing<V>> {
  const running = (await Promise.all(Array.from({ length: processes }, start))) as V[];
  let over = false;
  let ended = false;
  const endAll = () => {
    for (const { child } of running) child.kill("SIGKILL");
  };
  const killing = (async () => {
    let kills = 0;
    for (; !over; kills++) {
      await pause(300 + Math.random() * 1200);
      const victim = running[kills % processes] as V;
      victim.child.kill("SIGKILL");
      await once(victim.child, "exit");
      if (!ended) running[kills % processes] = await start();
    }
    // One that was being started when all were to end.
    if (ended) endAll();
    return kills;
  })();
  return {
    pick: () => {
      const alive = running.filter(({ child }) => child.signalCode === null && !child.killed);
      return alive[Math.floor(Math.random() * alive.length)] as V;
    },
    over: () => {
      over = true;
      return killing;
    },
    end: () => {
      over = true;
      ended = true;
      endAll();
    },
    ended: () => ended,
  };
}

const [sends, senders, listeners] = [600, 8, 20];

/** What somebody's client heard, and what it should have, as messages' IDs in their order. */
export interface Ear {
  heard: number[];
  goal: number[];
}

export interface Heard {
  ears: Ear[];
  sent: number;
  /** Messages in the channels, and sends that got no answer. */
  there: number;
  unanswered: number;
  kills: number;
  /** Polls that brought events after they had been led elsewhere. */
  ledOn: number;
}

/**
 * 600 messages to two channels, one of them private, and 20 clients who listen at whatever process comes; each sender
 * pauses for up to `pauseMs` after each.
 */
export async function hearWhileKilling(
  killing: Killing<Victim>,
  register: (person: Person, options: Record<string, unknown>) => Promise<string>,
  pauseMs = 0,
): Promise<Heard> {
  const [insider, outsider, sender] = await Promise.all([aPerson("Insider"), aPerson("Outsider"), aPerson("Sender")]);
  const open = await aChannel("open", [insider, outsider, sender]);
  const closed = await aChannel("closed", [insider, sender], { inviteOnly: true });
  const ask = async (person: Person, method: string, path: string, params: Record<string, unknown>) => {
    const { url } = killing.pick();
    const authorization = `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString("base64")}`;
    const form = new URLSearchParams(Object.entries(params).map(([name, value]) => [name, String(value)]));
    const [query, body] = method === "GET" ? [`?${form}`, {}] : ["", { body: form }];
    const reply = await fetch(`${url}/api/v1${path}${query}`, { method, headers: { authorization }, ...body });
    return { redirected: reply.redirected, ...((await reply.json()) as any) };
  };

  let goals: Map<Person, number[]> | undefined;
  let ledOn = 0;
  const ears = await Promise.all(
    Array.from({ length: listeners }, async (_, index) => {
      const person = index % 2 === 0 ? insider : outsider;
      const queueId = await register(person, { event_types: ["message"], fetch_event_types: [] });
      return { person, queueId, heard: [] as number[] };
    }),
  );
  const listening = ears.map(async ({ person, queueId, heard }) => {
    for (let last = -1; !killing.ended() && !(goals && heard.length >= (goals.get(person)?.length ?? 0)); ) {
      const params = { queue_id: queueId, last_event_id: last };
      const reply = await ask(person, "GET", "/events", params).catch(() => undefined);
      // Killed meanwhile: whoever got no answer asks again.
      if (!reply?.events) await pause(20);
      for (const event of reply?.events ?? []) {
        last = event.id;
        if (event.type === "message") heard.push(event.message.id);
      }
      if (reply?.redirected && reply.events?.some(({ type }: { type: string }) => type === "message")) ledOn++;
    }
  });

  let next = 0;
  let unanswered = 0;
  await Promise.all(
    Array.from({ length: senders }, async () => {
      while (next < sends && !killing.ended()) {
        const number = next++;
        const to = number % 3 === 0 ? closed.id : open.id;
        const params = { type: "channel", to, topic: "kills", content: `message ${number}` };
        await ask(sender, "POST", "/messages", params).catch(() => unanswered++);
        if (pauseMs > 0) await pause(Math.random() * pauseMs);
      }
    }),
  );
  const [inOpen = [], inClosed = []] = await Promise.all([open, closed].map(({ id }) => idsIn(id)));
  const all = [...inOpen, ...inClosed].sort((a, b) => a - b);
  goals = new Map([
    [outsider, inOpen],
    [insider, all],
  ]);
  const kills = await killing.over();
  await Promise.all(listening);
  const told = ears.map(({ person, heard }) => ({ heard, goal: goals?.get(person) ?? [] }));
  return { ears: told, sent: sends, there: all.length, unanswered, kills, ledOn };
}

async function idsIn(channelId: number): Promise<number[]> {
  const everything = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: false, limit: Number.POSITIVE_INFINITY };
  return (await readPartition("gsi1", channelPartition(channelId), everything)).map((message) => message.id);
}
