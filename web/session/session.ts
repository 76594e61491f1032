import { batch, effect, signal } from "@preact/signals";
import type { Call } from "../base/api/calls.ts";
import { type ApiFailure, type Credentials, connect } from "../base/api/client.ts";

/**
 * What belongs to one person who is signed in. Modules define what a session has (`perSession`, `sessionSignal`) and what it does
 * (`onSession`); the values are the Session's own, are made when they are first used, and go with it. So nothing of it is left for
 * the next person who signs in to the same tab. While nobody is signed in, the current session is one without credentials.
 */
export class Session {
  credentials: Credentials | undefined;
  /** When it ends, in UNIX seconds, if the organization limits its age: then the key is the session's own. */
  endsAt: number | undefined;
  /** Calls an endpoint as the user. It rejects if nobody is signed in, and when the session ends. */
  call: Call = async () => {
    throw new Error("Nobody is signed in");
  };
  readonly #ending = new AbortController();
  readonly #values = new Map<unknown, unknown>();
  readonly #disposers = new Set<() => void>();

  /** Aborted when the session ends. */
  readonly end: AbortSignal = this.#ending.signal;

  /** Uses a key from now on; `onRefused` is called when the server refuses it. */
  signIn(
    credentials: Credentials,
    endsAt: number | undefined,
    onRefused: (refusal: ApiFailure, refused: Credentials) => Promise<Credentials | undefined>,
  ): void {
    this.credentials = credentials;
    this.endsAt = endsAt;
    this.call = connect(credentials, onRefused, this.end);
  }

  /** The session's own value of a definition, which `make` makes. */
  valueOf<T>(make: (session: Session) => T): T {
    if (!this.#values.has(make)) this.#values.set(make, make(this));
    return this.#values.get(make) as T;
  }

  /** Runs an effect until the session ends. */
  effect(run: () => void): void {
    this.#disposers.add(effect(run));
  }

  /** Does something after a time, unless the session ends before; returns a function that cancels it. */
  later(work: () => void, ms: number): () => void {
    if (this.end.aborted) return () => {};
    const cancel = () => {
      clearTimeout(timer);
      this.#disposers.delete(cancel);
    };
    const timer = setTimeout(() => {
      this.#disposers.delete(cancel);
      work();
    }, ms);
    this.#disposers.add(cancel);
    return cancel;
  }

  dispose(): void {
    this.#ending.abort();
    for (const dispose of this.#disposers) dispose();
    this.#disposers.clear();
    this.#values.clear();
  }
}

const current = signal(new Session());
/** What each session of a person does, by its definitions. */
const starters = new Set<(session: Session) => void>();

/** The current session, without subscribing to it. */
export const currentSession = (): Session => current.peek();

/** Ends the current session, and begins another one. */
export function beginSession(next: Session): void {
  batch(() => {
    current.peek().dispose();
    current.value = next;
    if (next.credentials) for (const start of starters) start(next);
  });
}

/** Ends a session if it is the current one. */
export function leaveSession(session: Session): void {
  if (current.peek() === session) beginSession(new Session());
  else session.dispose();
}

/** Does something in each session, from its beginning or as soon as the program has been loaded. */
export function onSession(start: (session: Session) => void): void {
  starters.add(start);
  if (current.peek().credentials) start(current.peek());
}

/** Defines a value that each session has of its own; the function that is returned gives that of the current one. */
export const perSession =
  <T>(make: (session: Session) => T): (() => T) =>
  () =>
    current.value.valueOf(make);

/** A signal of which each session has its own, which begins with `initial`. */
export class SessionSignal<T> {
  readonly #make: () => { value: T; peek(): T };
  constructor(initial: T) {
    this.#make = () => signal(initial);
  }
  get value(): T {
    return current.value.valueOf(this.#make).value;
  }
  set value(value: T) {
    current.peek().valueOf(this.#make).value = value;
  }
  peek(): T {
    return current.peek().valueOf(this.#make).peek();
  }
}
export const sessionSignal = <T>(initial: T): SessionSignal<T> => new SessionSignal(initial);

/** Calls an endpoint as the user. */
export const call: Call = async (endpoint, ...args) => current.peek().call(endpoint, ...args);
export const credentials = (): Credentials | undefined => current.peek().credentials;
/** Aborted when the current session ends. */
export const sessionEnd = (): AbortSignal => current.peek().end;
/** Does something after a time, unless the current session ends before; returns a function that cancels it. */
export const later = (work: () => void, ms: number): (() => void) => current.peek().later(work, ms);
