import {
  AwsError,
  type AwsReply,
  type AwsRequest,
  type AwsService,
  account,
  jsonError,
  jsonReply,
  readJson,
} from "../protocol.ts";
import type { Definition, Schedule, ScheduleStore } from "./store.ts";
import { type ScheduleTimer, scheduleArn } from "./timer.ts";

type RequestHandler = (name: string, request: AwsRequest) => Promise<AwsReply> | AwsReply;

const validName = /^[\w.-]{1,64}$/;
const groupArn = (region: string, name: string) => `arn:aws:scheduler:${region}:${account}:schedule-group/${name}`;
const invalid = (message: string) => new AwsError("ValidationException", message);
const conflict = (what: string) => new AwsError("ConflictException", `${what} already exists.`, { status: 409 });
const notFound = (what: string) =>
  new AwsError("ResourceNotFoundException", `${what} does not exist.`, { status: 404 });

/** EventBridge Scheduler: REST-JSON. Its targets are SQS queues and Lambda functions, its time zone is UTC. */
export function schedulerEmulator(store: ScheduleStore, timer: ScheduleTimer): AwsService {
  const handlers: Record<string, Record<string, RequestHandler>> = {
    "schedule-groups": groupHandlers(store),
    schedules: scheduleHandlers(store, timer),
  };
  return {
    answer: async (request) => {
      const [, resource = "", ...name] = request.path.split("/");
      const handler = handlers[resource]?.[request.method];
      if (!handler)
        throw new AwsError("UnknownOperationException", `This emulator has no ${request.method} ${request.path}`, {
          status: 404,
        });
      return handler(decodeURIComponent(name.join("/")), request);
    },
    formatError: (error) => jsonError(error),
  };
}

const groupHandlers = (store: ScheduleStore): Record<string, RequestHandler> => ({
  POST: (name, { region }) => {
    if (!validName.test(name)) throw invalid("The name of a schedule group has 1 to 64 of A-Z, a-z, 0-9, -, _ and .");
    if (!store.putGroup(name, region)) throw conflict(`Schedule group ${name}`);
    return jsonReply({ ScheduleGroupArn: groupArn(region, name) });
  },
});

function scheduleHandlers(store: ScheduleStore, timer: ScheduleTimer): Record<string, RequestHandler> {
  const get = (group: string, name: string): Schedule => {
    const schedule = store.find(group, name);
    if (!schedule) throw notFound(`Schedule ${name}`);
    return schedule;
  };
  return {
    POST: async (name, request) => {
      const definition = checkDefinition(name, await readJson(request));
      const group = definition.GroupName ?? "default";
      if (!store.hasGroup(group)) throw notFound(`Schedule group ${group}`);
      const existing = store.find(group, name);
      // The SDK sends the same token with each retry of a request.
      const isRetry =
        existing?.definition.ClientToken !== undefined && existing.definition.ClientToken === definition.ClientToken;
      if (existing && !isRetry) throw conflict(`Schedule ${name}`);
      if (!existing) store.put({ group, name, region: request.region, definition });
      return replyThenTick(timer, { ScheduleArn: scheduleArn({ region: request.region, group, name }) });
    },
    PUT: async (name, request) => {
      const definition = checkDefinition(name, await readJson(request));
      const schedule = get(definition.GroupName ?? "default", name);
      store.put({ ...schedule, definition }, schedule.createdAt);
      return replyThenTick(timer, { ScheduleArn: scheduleArn(schedule) });
    },
    GET: (name, { query }) => {
      const schedule = get(query.get("groupName") ?? "default", name);
      const { ClientToken: _, ...definition } = schedule.definition;
      return jsonReply({ State: "ENABLED", ActionAfterCompletion: "NONE", ...definition, ...fieldsOf(schedule) });
    },
    DELETE: (name, { query }) => {
      if (!store.delete(query.get("groupName") ?? "default", name)) throw notFound(`Schedule ${name}`);
      return replyThenTick(timer, {});
    },
  };
}

const fieldsOf = (schedule: Schedule) => ({
  Arn: scheduleArn(schedule),
  GroupName: schedule.group,
  Name: schedule.name,
  CreationDate: schedule.createdAt / 1000,
  LastModificationDate: schedule.modifiedAt / 1000,
});

function replyThenTick(timer: ScheduleTimer, value: unknown): AwsReply {
  // After the reply, so that the creator of a schedule in the past gets its answer before the job arrives.
  setImmediate(() => timer.tick());
  return jsonReply(value);
}

function checkDefinition(name: string, definition: Definition): Definition {
  const { Target, FlexibleTimeWindow, ScheduleExpression, ScheduleExpressionTimezone, State, ActionAfterCompletion } =
    definition;
  if (!validName.test(name)) throw invalid("The name of a schedule has 1 to 64 of A-Z, a-z, 0-9, -, _ and .");
  if (typeof ScheduleExpression !== "string") throw invalid("ScheduleExpression must not be null");
  if (ScheduleExpressionTimezone !== undefined && ScheduleExpressionTimezone !== "UTC") {
    throw invalid("This emulator knows only the time zone UTC.");
  }
  if (!["OFF", "FLEXIBLE"].includes(FlexibleTimeWindow?.Mode)) throw invalid("FlexibleTimeWindow must have a Mode");
  if (!/^arn:aws:(sqs:[^:]*:[^:]*|lambda:[^:]*:[^:]*:function):[\w-]+$/.test(Target?.Arn))
    throw invalid(`Provided Arn is not in correct format: ${Target?.Arn}`);
  if (typeof Target.RoleArn !== "string") throw invalid("Target.RoleArn must not be null");
  if (!["ENABLED", "DISABLED", undefined].includes(State)) throw invalid("State must be ENABLED or DISABLED");
  if (!["DELETE", "NONE", undefined].includes(ActionAfterCompletion))
    throw invalid("ActionAfterCompletion must be DELETE or NONE");
  return definition;
}
