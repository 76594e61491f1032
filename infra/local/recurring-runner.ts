import { randomUUID } from "node:crypto";
import type { RecurringEvent } from "../../shared/services/jobs/recurring.ts";
import type { RecurringMember } from "../fleet.ts";
import { runGuarded } from "./guard.ts";

/** Runs the functions of recurring work on their schedules, once the host is ready. */
export class RecurringRunner {
  readonly #members: ReadonlyMap<string, RecurringMember>;
  readonly #activeRuns = new Set<Promise<void>>();
  #isStarted = false;

  constructor(members: readonly RecurringMember[]) {
    this.#members = new Map(members.map((member) => [member.name, member]));
  }

  /** Runs everything once, to make up for runs that were missed while the host was down. */
  start(): void {
    this.#isStarted = true;
    for (const name of this.#members.keys()) this.run(name, { id: randomUUID() });
  }

  /** Runs one function. Does nothing before `start`, which runs all of them anyway. */
  run(name: string, event: RecurringEvent): void {
    const member = this.#members.get(name);
    if (!member || !this.#isStarted) return;
    // The function has logged the error; the next run does what this one did not.
    const run = runGuarded(name, member.spec.uses, () => member.handler(event)).catch(() => {});
    this.#activeRuns.add(run);
    void run.finally(() => this.#activeRuns.delete(run));
  }

  /** Starts no more runs, and resolves when the current ones are done. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    await Promise.all(this.#activeRuns);
  }
}
