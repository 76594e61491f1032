import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServing } from "../support/hosts/serving.ts";
import { runPython } from "../support/outside/python.ts";
import { aChannel, aPerson, isLocal, type Person } from "../support/world.ts";

/**
 * Runs `npm run serve` with the table of the fleet under test: the fleet's functions write to it, and the host serves polls.
 */

let child: ChildProcess;
let url: string;
let ada: Person;
let grace: Person;

beforeAll(async () => {
  [ada, grace] = await Promise.all([aPerson("Ada"), aPerson("Grace")]);
  ({ child, url } = await startServing());
});
afterAll(() => child?.kill("SIGTERM"));

const getFromHost = async (path: string, person: Person) => {
  const authorization = `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString("base64")}`;
  const response = await fetch(`${url}/api/v1${path}`, { headers: { authorization }, redirect: "manual" });
  return { status: response.status, body: (await response.json()) as any };
};

test("a poll at the host gets an event as soon as a function has written it", async () => {
  const channel = await aChannel("served", [ada, grace]);
  const { body: queue } = await grace.call("POST", "/register", { event_types: ["message"], fetch_event_types: [] });

  const polls = [1, 2].map(() =>
    getFromHost(`/events?queue_id=${queue.queue_id}&last_event_id=-1&dont_block=false`, grace),
  );
  // A later poll of a queue ends the earlier one, because both are in one process.
  const endedPoll = await Promise.race(polls);
  const sent = await ada.call("POST", "/messages", { type: "channel", to: channel.id, topic: "t", content: "hello" });
  const newerPoll = (await Promise.all(polls)).find((reply) => reply !== endedPoll);

  expect(endedPoll?.body.events).toEqual([]);
  expect(newerPoll).toMatchObject({
    status: 200,
    body: { result: "success", events: [{ type: "message", message: { id: sent.body.id, content: "hello" } }] },
  });
});

test("by default it serves only GET /events", async () => {
  expect(await getFromHost("/users/me", grace)).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  const anonymous = await fetch(`${url}/api/v1/events?queue_id=x`);
  expect(anonymous.status).toBe(401);
});

test("with SKEIN_SERVE=all it serves all endpoints", async () => {
  const fullHost = await startServing({ SKEIN_SERVE: "all" });
  const authorization = `Basic ${Buffer.from(`${grace.email}:${grace.apiKey}`).toString("base64")}`;
  const reply = await fetch(`${fullHost.url}/api/v1/users/me`, { headers: { authorization } });
  // An emulated bucket would take a minute.
  if (isLocal()) await sendLargeFile(fullHost.url);
  fullHost.child.kill("SIGTERM");

  expect(await reply.json()).toMatchObject({ result: "success", user_id: grace.id });
}, 300_000);

/** The Python client sends a file that no function takes. */
async function sendLargeFile(site: string) {
  const bytes = 90_000_000;
  const program = join(import.meta.dirname, "../support/outside/upload.py");

  const uploaded = await runPython(program, { site, email: grace.email, api_key: grace.apiKey, bytes });

  expect(uploaded).toMatchObject({ result: "success" });
  const { attachments } = await grace.do("GET", "/attachments");
  expect(attachments).toMatchObject([{ name: "tape.bin", size: bytes }]);
}
