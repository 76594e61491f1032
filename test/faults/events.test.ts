import { expect, test } from "vitest";
import { poll } from "../../shared/features/events/poll.ts";
import { accessQueue } from "../../shared/features/events/queue.ts";
import { waitInFunction } from "../../shared/features/events/waiting.ts";
import { renderText } from "../../shared/messaging/messages/render/render.ts";
import { sendMessage } from "../../shared/messaging/messages/send/actions.ts";
import { toCaller } from "../../shared/services/identity/access.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { channelPartition, readPartition } from "../../shared/store/messages/messages.ts";
import { findAccount } from "../../shared/store/users/accounts.ts";
import { InjectedFault, withFailure } from "../support/faults.ts";
import { listen } from "../support/listener.ts";
import { randomFrom, seed } from "../support/random.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** Functions die at random calls while many clients send and receive. */

const messageCount = 800;
const senderCount = 8;
const failureRate = 0.15;

const random = randomFrom(seed);
const withRandomFailure = <T>(work: () => Promise<T>) =>
  random() < failureRate
    ? withFailure(1 + Math.floor(random() * 6), random() < 0.5 ? "before" : "afterwards", work)
    : work().then((result) => ({ result, error: undefined }));

async function send(sender: Person, channel: Channel, content: string) {
  const realm = await loadRealm();
  const { error } = await withRandomFailure(async () =>
    sendMessage({
      senderId: sender.id,
      destination: { kind: "channel", channel, topic: "deaths" },
      content,
      rendered: await renderText(content, realm),
      client: "test",
      readBySender: false,
    } as Parameters<typeof sendMessage>[0]),
  );
  if (error && !(error instanceof InjectedFault)) throw error;
}

interface Client {
  person: Person;
  receivedEvents: number[];
  done: () => boolean;
}

/** A client whose polls fail too: it polls again from the last event that it received. */
async function listenWithFailures({ person, receivedEvents, done }: Client) {
  const caller = toCaller((await findAccount(person.email))!);
  const { queueId } = await listen(person, { event_types: ["message"], fetch_event_types: [] });
  return async () => {
    let lastEventId = -1;
    while (!done()) {
      const { result } = await withRandomFailure(async () =>
        poll(caller, await accessQueue(caller, queueId), lastEventId, waitInFunction(2000)),
      );
      for (const event of result ?? []) {
        lastEventId = event.id;
        if (event.type === "message") receivedEvents.push((event.message as { id: number }).id);
      }
    }
  };
}

async function listenOverHttp({ person, receivedEvents, done }: Client) {
  const listener = await listen(person, { event_types: ["message"], fetch_event_types: [] });
  return async () => {
    while (!done())
      for (const event of await listener.poll()) if (event.type === "message") receivedEvents.push(event.message.id);
  };
}

test("every client gets every message once and in order, whichever function dies", { timeout: 600_000 }, async () => {
  const [insider, outsider, sender] = await Promise.all([aPerson("Insider"), aPerson("Outsider"), aPerson("Sender")]);
  const publicChannel = await aChannel("open", [insider, outsider, sender]);
  const privateChannel = await aChannel("closed", [insider, sender], { inviteOnly: true });
  let allSent = false;
  const expectedIds = new Map<Person, number[]>();
  const clients = Array.from({ length: 20 }, (_, index): Client => {
    const person = index % 2 === 0 ? insider : outsider;
    const receivedEvents: number[] = [];
    const done = () => allSent && receivedEvents.length >= (expectedIds.get(person)?.length ?? 0);
    return { person, receivedEvents, done };
  });
  const loops = await Promise.all(
    clients.map((client, index) => (index % 4 < 2 ? listenWithFailures(client) : listenOverHttp(client))),
  );
  const listening = Promise.all(loops.map((loop) => loop()));

  let nextNumber = 0;
  await Promise.all(
    Array.from({ length: senderCount }, async () => {
      while (nextNumber < messageCount) {
        const number = nextNumber++;
        await send(sender, number % 3 === 0 ? privateChannel : publicChannel, `message ${number}`);
      }
    }),
  );
  const [publicIds, privateIds] = await Promise.all([publicChannel, privateChannel].map(idsIn));
  expectedIds.set(outsider, publicIds ?? []);
  expectedIds.set(
    insider,
    [...(publicIds ?? []), ...(privateIds ?? [])].sort((a, b) => a - b),
  );
  allSent = true;
  await listening;

  // Some sends died before they took effect; most must have succeeded.
  expect(expectedIds.get(insider)?.length).toBeGreaterThan(messageCount * (1 - failureRate) * 0.9);
  for (const { person, receivedEvents } of clients) expect(receivedEvents).toEqual(expectedIds.get(person));
});

async function idsIn({ id }: Channel): Promise<number[]> {
  const fullRange = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: false, limit: Number.POSITIVE_INFINITY };
  return (await readPartition("gsi1", channelPartition(id), fullRange)).map((message) => message.id);
}
