import { mailIsSent, pushBouncerUrl, type Service } from "../shared/limits.ts";
import { isWorker, type Member, type WorkerMember } from "./fleet.ts";

/** A queue as its worker's declaration asks for it; the same on AWS and on one machine. */
export interface QueueShape {
  name: string;
  /** How long a job stays hidden after it was handed to the worker, in seconds. */
  visibilitySeconds: number;
  /** How often a job is handed over before it goes to the dead-letter queue. */
  attempts: number;
}

/** The worker function's time limit in seconds. */
export const timeoutOf = ({ spec }: WorkerMember) => spec.timeoutSeconds ?? 30;

/** Whether a worker, or recurring work, has nothing to do where just these services are set up: then nothing starts it. */
export const isIdle = ({ serves }: { serves?: readonly Service[] }, services: readonly Service[]): boolean =>
  serves !== undefined && !serves.some((service) => services.includes(service));

/** What this process's environment sets up. */
export const servicesHere = (): Service[] => [
  ...(pushBouncerUrl() ? ["push" as const] : []),
  ...(mailIsSent() ? ["mail" as const] : []),
];

/** One queue for each worker. Six times the time limit is what AWS asks for, so that throttling costs no attempt. */
export const queueOf = (member: WorkerMember): QueueShape => ({
  name: member.spec.queue,
  visibilitySeconds: 6 * timeoutOf(member),
  attempts: member.spec.attempts,
});

export const queuesOf = (fleet: readonly Member[]): QueueShape[] => fleet.filter(isWorker).map(queueOf);

/** Names of the queues that EventBridge Scheduler sends to: those that a function names. */
export const scheduledQueuesOf = (fleet: readonly Member[]): string[] =>
  [...new Set(fleet.flatMap(({ spec }) => spec.uses.schedules ?? []))].sort();

/** The environment variable in which tools beside the fleet find the ARN of recurring work's function. */
export const functionArnVariable = (work: string) => `FUNCTION_ARN_${work.toUpperCase().replaceAll("-", "_")}`;

/** Refuses declarations that name a queue which no worker declares. */
export function checkQueues(fleet: readonly Member[]): void {
  const known = new Set(queuesOf(fleet).map(({ name }) => name));
  for (const { file, spec } of fleet) {
    for (const queue of [...(spec.uses.sends ?? []), ...(spec.uses.schedules ?? [])]) {
      if (!known.has(queue)) throw new Error(`${file} uses the queue ${queue}, which no worker declares`);
    }
  }
}
