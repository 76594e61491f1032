import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { type Connection, connectQueue } from "../connection.ts";
import type { Person } from "../world.ts";
import type { KillTestClient, KillTestResult, RequestAnywhere } from "./killed.ts";

/** Clients that are connected by a WebSocket while processes and connections are killed. */

/** After this time without an answer, a client connects again. */
const answerMs = 5_000;
const heartbeatMs = 1_000;
export const killTestSize = { pauseMs: 200, messages: 150, kills: 5, senders: 4, listeners: 6 };

const authorizationOf = ({ email, apiKey }: Person) => `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`;

/** Makes a request that must succeed. */
export async function request(
  url: string,
  person: Person,
  method: string,
  path: string,
  params: Record<string, unknown>,
) {
  const body = new URLSearchParams(
    Object.entries(params).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  );
  const reply = await fetch(`${url}/api/v1${path}`, {
    ...{ method, headers: { authorization: authorizationOf(person) } },
    body,
  });
  const answer = (await reply.json()) as any;
  if (reply.status !== 200) throw new Error(answer.msg);
  return answer;
}

export const register = async (url: string, person: Person, options: Record<string, unknown>): Promise<string> =>
  (await request(url, person, "POST", "/register", options)).queue_id;

const within = <T>(work: Promise<T>) =>
  Promise.race([
    work,
    pause(answerMs).then(() => {
      throw new Error("No answer");
    }),
  ]);

/** Stays connected, as a page does: connects again when the connection is lost or silent, and asks for what it lacks. */
export async function receiveConnected(
  { person, queueId, received }: KillTestClient,
  requestAnywhere: RequestAnywhere,
  isDone: () => boolean,
): Promise<void> {
  const client = {
    do: async (method: string, path: string, params: Record<string, unknown> = {}) => {
      const reply = await requestAnywhere(person, method, path, params);
      if (reply.result !== "success") throw new Error(reply.msg);
      return reply;
    },
  };
  let seen = -1;
  while (!isDone()) {
    const connection = await within(connectQueue(client, { queue_id: queueId, last_event_id: seen })).catch(
      () => undefined,
    );
    if (!connection) {
      // As a page does, so that those who lost their connections together do not return together.
      await pause(Math.random() * 1_000);
      continue;
    }
    let taken = 0;
    const take = () => {
      for (const { type, message } of connection.events.slice(taken)) if (type === "message") received.push(message.id);
      taken = connection.events.length;
    };
    while (!isDone() && (await isAnswered(connection, take, isDone)));
    take();
    seen = Math.max(seen, connection.seen);
    connection.close();
  }
}

/** Whether the server answers an acknowledgement; meanwhile takes what arrives. */
async function isAnswered(connection: Connection, take: () => void, isDone: () => boolean): Promise<boolean> {
  const takeFor = async (ms: number, isEnough: () => boolean) => {
    for (const until = Date.now() + ms; Date.now() < until && connection.closeCode === undefined; await pause(20)) {
      take();
      if (isDone() || isEnough()) return true;
    }
    return false;
  };
  await takeFor(heartbeatMs * (0.5 + Math.random()), () => false);
  if (connection.closeCode !== undefined) return false;
  const before = connection.messages.length;
  connection.acknowledge();
  return takeFor(answerMs, () => connection.messages.length > before);
}

export function expectEverythingOnce({ listeners, sent, stored, unacknowledged }: KillTestResult) {
  expect(stored).toBeGreaterThanOrEqual(sent - unacknowledged);
  for (const { received, expected } of listeners) expect(received).toEqual(expected);
}
