import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { channelPartition, readPartition } from "../../shared/store/messages.ts";
import { type Serving, startServing } from "../support/serving.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** The processes in which the functions run are killed (SIGKILL) at any moment, while many send and many listen. */

const sends = 2000;
const senders = 8;
const listeners = 20;
const processes = 3;

test("every listener hears every message once and in order, whatever is killed", { timeout: 300_000 }, async () => {
  const [insider, outsider, sender] = await Promise.all([aPerson("Insider"), aPerson("Outsider"), aPerson("Sender")]);
  const open = await aChannel("open", [insider, outsider, sender]);
  const closed = await aChannel("closed", [insider, sender], { inviteOnly: true });
  const running: Serving[] = await Promise.all(Array.from({ length: processes }, () => startServing(all)));
  let over = false;
  let kills = 0;
  const killing = (async () => {
    for (let turn = 0; !over; turn++) {
      await pause(300 + Math.random() * 1200);
      const victim = running[turn % processes] as Serving;
      victim.child.kill("SIGKILL");
      await once(victim.child, "exit");
      kills++;
      running[turn % processes] = await startServing(all);
    }
  })();
  const ask = async (person: Person, method: string, path: string, params: Record<string, unknown>) => {
    const { url } = running[Math.floor(Math.random() * processes)] as Serving;
    const authorization = `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString("base64")}`;
    const form = new URLSearchParams(Object.entries(params).map(([name, value]) => [name, String(value)]));
    const [query, body] = method === "GET" ? [`?${form}`, {}] : ["", { body: form }];
    const reply = await fetch(`${url}/api/v1${path}${query}`, { method, headers: { authorization }, ...body });
    return (await reply.json()) as any;
  };

  const goals = new Map<Person, number[]>();
  const ears = await Promise.all(
    Array.from({ length: listeners }, async (_, index) => {
      const person = index % 2 === 0 ? insider : outsider;
      const options = { event_types: ["message"], fetch_event_types: [] };
      return {
        person,
        queueId: (await person.call("POST", "/register", options)).body.queue_id,
        heard: [] as number[],
      };
    }),
  );
  const listening = ears.map(async ({ person, queueId, heard }) => {
    for (let last = -1; !(over && heard.length >= (goals.get(person)?.length ?? 0)); ) {
      const params = { queue_id: queueId, last_event_id: last };
      const reply = await ask(person, "GET", "/events", params).catch(() => undefined);
      // Killed meanwhile: whoever got no answer asks again.
      for (const event of reply?.events ?? []) {
        last = event.id;
        if (event.type === "message") heard.push(event.message.id);
      }
      if (!reply) await pause(20);
    }
  });

  let next = 0;
  let unanswered = 0;
  await Promise.all(
    Array.from({ length: senders }, async () => {
      while (next < sends) {
        const number = next++;
        const to = number % 3 === 0 ? closed.id : open.id;
        const params = { type: "channel", to, topic: "kills", content: `message ${number}` };
        await ask(sender, "POST", "/messages", params).catch(() => unanswered++);
      }
    }),
  );
  const [inOpen = [], inClosed = []] = await Promise.all([open, closed].map(({ id }) => idsIn(id)));
  goals.set(outsider, inOpen);
  goals.set(
    insider,
    [...inOpen, ...inClosed].sort((a, b) => a - b),
  );
  over = true;
  await killing;
  await Promise.all(listening);
  for (const { child } of running) child.kill("SIGTERM");

  expect(kills).toBeGreaterThan(3);
  expect(inOpen.length + inClosed.length).toBeGreaterThanOrEqual(sends - unanswered);
  for (const { person, heard } of ears) expect(heard).toEqual(goals.get(person));
});

const all = { SKEIN_SERVE: "all" };

async function idsIn(channelId: number): Promise<number[]> {
  const everything = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: false, limit: Number.POSITIVE_INFINITY };
  return (await readPartition("gsi1", channelPartition(channelId), everything)).map((message) => message.id);
}
