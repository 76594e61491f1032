import type { Row } from "../database.ts";
import { AwsError } from "../error.ts";
import type { Operations } from "../operations.ts";
import type { Schedule, ScheduleStore } from "./store.ts";
import type { ScheduleTimer } from "./timer.ts";

/** EventBridge Scheduler, as far as the fleet uses it. Its targets are queues and functions, its time zone is UTC. */
export function scheduleOperations(store: ScheduleStore, timer: ScheduleTimer): Operations {
  const get = ({ GroupName: group, Name: name }: Row): Schedule => {
    const schedule = store.find(group, name);
    if (!schedule) throw new AwsError("ResourceNotFoundException", `Schedule ${name} does not exist.`, 404);
    return schedule;
  };
  return {
    CreateScheduleGroup: ({ Name }) => store.putGroup(Name),
    CreateSchedule: (definition) => {
      const { GroupName: group, Name: name } = definition;
      if (!/^[\w.-]{1,64}$/.test(name))
        throw new AwsError("ValidationException", "A schedule's name has 1 to 64 of A-Z, a-z, 0-9, -, _ and .");
      if (store.find(group, name)) throw new AwsError("ConflictException", `Schedule ${name} already exists.`, 409);
      store.put({ group, name, definition });
      // After the reply, so that the creator of a schedule in the past gets its answer before the job arrives.
      setImmediate(() => timer.tick());
    },
    GetSchedule: (input) => ({ State: "ENABLED", ...get(input).definition }),
    DeleteSchedule: (input) => {
      const { group, name } = get(input);
      store.delete(group, name);
    },
  };
}
