import { isMailEnabled, mailDomain } from "../shared/base/environment.ts";
import type { Service } from "../shared/base/limits.ts";
import { type FleetMember, isRecurring, isWorker, type WorkerMember } from "./fleet.ts";

/** The properties of a queue that follow from its worker's declaration, the same on AWS and on one machine. */
interface QueueShape {
  name: string;
  /** The visibility timeout. */
  visibilitySeconds: number;
  /** How often a job is received before it goes to the dead-letter queue. */
  attempts: number;
}

const defaultTimeoutSeconds = 30;

/** The time limit of a worker's function. */
export const timeoutSecondsOf = ({ spec }: WorkerMember) => spec.timeoutSeconds ?? defaultTimeoutSeconds;

/** Whether a worker or recurring work belongs only to services that are not set up: then nothing triggers it. */
export const isUnconfigured = ({ serves }: { serves?: readonly Service[] }, services: readonly Service[]): boolean =>
  serves !== undefined && !serves.some((service) => services.includes(service));

/** The services that this process's environment sets up. */
export const configuredServices = (): Service[] => [
  ...(isMailEnabled() ? ["mail" as const] : []),
  ...(mailDomain() ? ["incoming-mail" as const] : []),
];

/** One queue for each worker. AWS recommends six times the function's timeout, so that throttling does not use up attempts. */
export const queueOf = (member: WorkerMember): QueueShape => ({
  name: member.spec.queue,
  visibilitySeconds: 6 * timeoutSecondsOf(member),
  attempts: member.spec.attempts,
});

/** Whether the worker has its jobs from a queue on AWS too. */
export const isQueued = ({ spec }: WorkerMember) => spec.invokedBySes === undefined;

/** The fleet as it is on AWS, where no function sends to a queue that is not there. */
export function withAwsQueues(fleet: readonly FleetMember[]): FleetMember[] {
  const missing = fleet.filter(isWorker).flatMap((member) => (isQueued(member) ? [] : [member.spec.queue]));
  const without = (queues: readonly string[] | undefined) => queues?.filter((queue) => !missing.includes(queue));
  return fleet.map((member) => {
    const { sends, postpones, ...uses } = member.spec.uses;
    const [sent, postponed] = [without(sends), without(postpones)];
    const queues = { ...(sent && { sends: sent }), ...(postponed && { postpones: postponed }) };
    return { ...member, spec: { ...member.spec, uses: { ...uses, ...queues } } } as FleetMember;
  });
}

export const queuesOf = (fleet: readonly FleetMember[]): QueueShape[] => fleet.filter(isWorker).map(queueOf);

/** Names of the queues that EventBridge Scheduler sends to, from the functions' `uses`. */
export const scheduledQueuesOf = (fleet: readonly FleetMember[]): string[] =>
  [...new Set(fleet.flatMap(({ spec }) => spec.uses.schedules ?? []))].sort();

/** The recurring work that functions start besides its schedule, from their `uses`. */
export const startedWorksOf = (fleet: readonly FleetMember[]): string[] =>
  [...new Set(fleet.flatMap(({ spec }) => spec.uses.starts ?? []))].sort();

/** Throws if a declaration names a queue that no worker declares, or recurring work that no function does. */
export function checkQueues(fleet: readonly FleetMember[]): void {
  const queueNames = new Set(queuesOf(fleet).map(({ name }) => name));
  const works = new Set(fleet.filter(isRecurring).map(({ spec }) => spec.work));
  for (const { file, spec } of fleet) {
    for (const queue of [...(spec.uses.sends ?? []), ...(spec.uses.schedules ?? [])]) {
      if (!queueNames.has(queue)) throw new Error(`${file} uses the queue ${queue}, which no worker declares`);
    }
    for (const work of spec.uses.starts ?? [])
      if (!works.has(work)) throw new Error(`${file} starts the recurring work ${work}, which no function declares`);
  }
}
