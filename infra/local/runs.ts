import { randomUUID } from "node:crypto";
import type { RecurringEvent } from "../../shared/jobs/recurring.ts";
import type { RecurringMember } from "../fleet.ts";
import { runGuarded } from "./guard.ts";

/** Runs the functions of recurring work as their schedules ask, once the host is ready. */
export class Runs {
  readonly #members: ReadonlyMap<string, RecurringMember>;
  readonly #underWay = new Set<Promise<void>>();
  #begun = false;

  constructor(members: readonly RecurringMember[]) {
    this.#members = new Map(members.map((member) => [member.name, member]));
  }

  /** Runs everything once: what would have recurred while the host was down is made up for. */
  begin(): void {
    this.#begun = true;
    for (const name of this.#members.keys()) this.start(name, { id: randomUUID() });
  }

  /** Nothing before the host has begun, as that runs everything anyway. */
  start(name: string, event: RecurringEvent): void {
    const member = this.#members.get(name);
    if (!member || !this.#begun) return;
    // The function has logged why; the next run does what this one left.
    const run = runGuarded(name, member.spec.uses, () => member.handler(event)).catch(() => {});
    this.#underWay.add(run);
    void run.finally(() => this.#underWay.delete(run));
  }

  /** Starts nothing more, and resolves when what runs is done. */
  async end(): Promise<void> {
    this.#begun = false;
    await Promise.all(this.#underWay);
  }
}
