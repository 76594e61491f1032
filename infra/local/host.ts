import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { enqueue, queueUrlVariable } from "../../shared/jobs/queues.ts";
import type { RecurringEvent } from "../../shared/jobs/recurring.ts";
import { queueArnVariable } from "../../shared/jobs/schedules.ts";
import { createOrganization } from "../../shared/organization/create.ts";
import { parseOrganizationFile } from "../../shared/organization/file.ts";
import { builtFiles } from "../built.ts";
import {
  fleetFor,
  isEndpoint,
  isFallback,
  isFollower,
  isRecurring,
  isWorker,
  loadFleet,
  routesOf,
  type WorkerMember,
} from "../fleet.ts";
import { isIdle, queuesOf, servicesHere } from "../queues.ts";
import type { Waiting } from "../waiting.ts";
import { account } from "./aws/protocol.ts";
import { startAwsEmulator } from "./aws/server.ts";
import { bellIntegration } from "./bell-integration.ts";
import { coalesceReads } from "./coalesced-reads.ts";
import { claimDataFolder, startEngine } from "./engine.ts";
import { startEventSource } from "./event-source.ts";
import { startGateway } from "./gateway.ts";
import { guardAwsCalls, runGuarded } from "./guard.ts";
import { startLogSource } from "./log-source.ts";
import { provision } from "./provision.ts";
import { Runs } from "./runs.ts";
import { sendNearby } from "./short-way.ts";

export interface HostOptions {
  dataFolder: string;
  organizationFile: string;
  /** 0: any free port. */
  port: number;
  /** How clients wait for events: by a function that is held, or at bells as on AWS. */
  waiting?: Exclude<Waiting, "host">;
}

export interface Host {
  url: string;
  /** What the functions found in their environment, endpoint addresses included: for tools and tests beside the host. */
  environment: Record<string, string>;
  /** Whether this start created the organization. */
  created: boolean;
  stop(): Promise<void>;
}

const credentials = { accessKeyId: "local", secretAccessKey: "local-secret" };

/** Starts the whole fleet in this process, over the embedded engine and the emulators. One host to a process. */
export async function startHost(options: HostOptions): Promise<Host> {
  const { dataFolder, organizationFile, port, waiting = "held" } = options;
  await claimDataFolder(dataFolder);
  const fleet = fleetFor(await loadFleet(), waiting);
  process.env.MAIL_FROM = process.env.SKEIN_MAIL_FROM ?? "skein@localhost";
  const services = servicesHere();
  const workers = fleet.filter(isWorker).filter(({ spec }) => !isIdle(spec, services));
  const runs = new Runs(fleet.filter(isRecurring).filter(({ spec }) => !isIdle(spec, services)));
  const [engine, emulator] = await Promise.all([
    startEngine(dataFolder),
    startAwsEmulator({
      dataFolder: join(dataFolder, "aws"),
      ...credentials,
      receiversAreGone: true,
      invoke: (name, event) => runs.start(name, event as RecurringEvent),
    }),
  ]);
  coalesceReads();
  sendNearby(emulator);
  const fallback = fleet.find(isFallback);
  if (!fallback) throw new Error("The fleet has no fallback function");

  const environment: Record<string, string> = {
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: engine.url,
    ...Object.fromEntries(
      ["SQS", "SCHEDULER", "S3", "SECRETS_MANAGER", "SESV2"].map((name) => [`AWS_ENDPOINT_URL_${name}`, emulator.url]),
    ),
    SKEIN_DEVELOPMENT: "true",
    MAIL_FROM: process.env.MAIL_FROM,
    ...(waiting === "bell" && { BELLS_URL: `${emulator.url}/${account}/skein-bell-` }),
  };
  Object.assign(process.env, environment);
  Object.assign(environment, await provision(fleet));
  Object.assign(process.env, environment);
  Object.assign(globalThis, { SKEIN_ROUTES: JSON.stringify(routesOf(fleet)), SKEIN_BUILT: builtFiles(fleet) });

  const created = await createOrganization(
    parseOrganizationFile(readFileSync(organizationFile, "utf8")),
    process.env,
    dirname(organizationFile),
  );
  guardAwsCalls();
  const visibility = new Map(queuesOf(fleet).map(({ name, visibilitySeconds }) => [name, visibilitySeconds]));
  const sources = workers.map((member) => {
    const { queue, batchSize = 10, concurrency = 5 } = member.spec;
    return startEventSource({
      queueUrl: environment[queueUrlVariable(queue)] as string,
      queueArn: environment[queueArnVariable(queue)] as string,
      batchSize,
      concurrency,
      visibilityTimeoutSeconds: visibility.get(queue) as number,
      handler: (event) => runGuarded(member.name, member.spec.uses, () => member.handler(event)),
    });
  });
  await catchUp(workers);
  runs.begin();
  const followers = fleet
    .filter(isFollower)
    .map(({ name, spec, handler }) => startLogSource((event) => runGuarded(name, spec.uses, () => handler(event))));
  const bells = environment.BELLS_URL ? bellIntegration(environment.BELLS_URL, emulator.receiveMessage) : undefined;
  const server = await startGateway(fleet.filter(isEndpoint), fallback, port, { bells });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : port}`;
  environment.SKEIN_URL = url;
  process.env.SKEIN_URL = url;

  return {
    url,
    environment,
    created,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      for (const follower of followers) follower.stop();
      await Promise.all([...sources.map((source) => source.stop()), runs.end()]);
      await emulator.close();
      await engine.stop();
    },
  };
}

/** What would have recurred while the host was down is done once at its start. */
const catchUp = (workers: readonly WorkerMember[]) =>
  Promise.all(workers.map(async ({ spec }) => spec.recurring && enqueue(spec.recurring.kind, {})));
