import { effect } from "@preact/signals";
import { afterEach, expect, test } from "vitest";
import {
  beginSession,
  call,
  currentSession,
  later,
  leaveSession,
  onSession,
  perSession,
  Session,
  sessionSignal,
} from "../../web/session/session.ts";
import { onEvents, receive, state } from "../../web/session/store.ts";

/** What a session of the web client owns, and that it ends with the session. */

function signIn(email: string): Session {
  const session = new Session();
  session.signIn({ email, apiKey: "key" }, undefined, async () => undefined);
  beginSession(session);
  return session;
}

afterEach(() => beginSession(new Session()));

test("another person's session has values of its own, and those of the first are gone", () => {
  const open = sessionSignal<string | undefined>(undefined);
  const pending = perSession(() => new Set<number>());
  const seen: (string | undefined)[] = [];
  const stop = effect(() => void seen.push(open.value));

  const first = signIn("viola@example.com");
  open.value = "Viola's dialog";
  pending().add(1);
  leaveSession(first);
  const between = [open.value, pending().size];
  signIn("sebastian@example.com");

  expect(between).toEqual([undefined, 0]);
  expect([open.value, pending().size]).toEqual([undefined, 0]);
  expect(seen[0]).toBe(undefined);
  expect(seen).toContain("Viola's dialog");
  expect(seen.at(-1)).toBe(undefined);
  stop();
});

test("timers, effects, listeners and signals of a session end with it", async () => {
  const done: string[] = [];
  const version = sessionSignal(0);
  onSession((session) => {
    const name = session.credentials?.email;
    session.effect(() => void done.push(`${name} ${version.value}`));
    session.end.addEventListener("abort", () => done.push(`${name} ended`));
    onEvents(() => void done.push(`${name} heard`));
  });
  const viola = signIn("viola");
  viola.later(() => done.push("too late"), 1);
  const cancel = later(() => done.push("cancelled"), 1);
  cancel();
  leaveSession(viola);
  viola.later(() => done.push("after the end"), 1);
  const sebastian = signIn("sebastian");
  version.value = 1;
  await new Promise<void>((resolve) => void later(resolve, 20));

  expect(done).toEqual(["viola 0", "viola ended", "sebastian 0", "sebastian 1"]);
  expect([viola.end.aborted, sebastian.end.aborted]).toEqual([true, false]);
});

test("a session that has ended does not end the one that followed it", () => {
  const viola = signIn("viola");
  leaveSession(viola);
  const sebastian = signIn("sebastian");
  leaveSession(viola);

  expect(currentSession()).toBe(sebastian);
  expect(sebastian.end.aborted).toBe(false);
});

test("a call rejects, and does not throw, while nobody is signed in", async () => {
  const refusal = call("GET /users/me").catch((error: Error) => error.message);

  expect(await refusal).toBe("Nobody is signed in");
});

test("events that arrive when nobody is signed in change nothing", () => {
  receive([{ type: "heartbeat", id: 1 } as never]);

  expect(state.value).toBe(undefined);
});
