import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { advertisedLevel, auditLogDays, rateLimits, scimTokenText } from "../../shared/base/environment.ts";
import { provideHost } from "../../shared/base/host.ts";
import { defaultRateLimits, maxStreamedFileBytes } from "../../shared/base/limits.ts";
import type { ReportProgress } from "../../shared/base/progress.ts";
import { announceBuild } from "../../shared/core/organization/build.ts";
import { reactivateOrganization } from "../../shared/core/organization/deactivation.ts";
import { enablePasswords } from "../../shared/core/organization/passwords.ts";
import { createOrganization } from "../../shared/features/bootstrap/create.ts";
import { parseOrganizationFile } from "../../shared/features/bootstrap/organization-file.ts";
import { queueUrlVariable } from "../../shared/services/jobs/queues.ts";
import type { RecurringEvent } from "../../shared/services/jobs/recurring.ts";
import { queueArnVariable } from "../../shared/services/jobs/schedules.ts";
import { putWakeUpProof } from "../../shared/store/delivery/wake-up-proof.ts";
import { buildIdentity } from "../build/build-identity.ts";
import { builtFiles } from "../build/built.ts";
import {
  fleetFor,
  isConnection,
  isEndpoint,
  isFallback,
  isFollower,
  isRecurring,
  isUnloaded,
  isWorker,
  openFleet,
  routesOf,
} from "../fleet.ts";
import { readProviders } from "../identity-providers.ts";
import { configuredServices, isUnconfigured, queuesOf } from "../queues.ts";
import type { WaitingMode } from "../waiting.ts";
import type { SavedMail } from "./aws/mail.ts";
import { startServices } from "./aws/services.ts";
import { queueUrl } from "./aws/sqs/store.ts";
import { answerConnectionCalls } from "./connection-calls.ts";
import { CannotStartError, lockDataFolder } from "./data-folder.ts";
import { startEventSource } from "./event-source.ts";
import { followForeignEntries } from "./foreign-entries.ts";
import { startGateway } from "./gateway.ts";
import { guardCalls, runGuarded } from "./guard.ts";
import { hostNameOf, isLoopback } from "./host-names.ts";
import { receiveMails } from "./incoming-mail/receive.ts";
import { startLogSource } from "./log-source.ts";
import { provision } from "./provision.ts";
import { RecurringRunner } from "./recurring-runner.ts";
import { startSockets } from "./sockets.ts";
import { openTable } from "./sqlite/open-table.ts";
import { openOutsideTable } from "./sqlite/outside-table.ts";
import { wakeUpIntegration } from "./wake-up-integration.ts";

interface HostOptions {
  dataFolder: string;
  /** The address of a DynamoDB to keep the table in. Default: a file in `dataFolder`. */
  tableEndpoint?: string | undefined;
  organizationFile: string;
  /** The port to listen on; 0: any free one. */
  port: number;
  /** The address to listen on. Default: this machine's own. */
  address?: string | undefined;
  /** Whether anybody who reaches the host may sign in as anybody. Default true. */
  development?: boolean;
  /** How clients wait for events: in a function, or at wake-up queues as on AWS. Default "held". */
  waiting?: Exclude<WaitingMode, "host">;
  /** Values of `Host` to accept in addition to this machine's loopback names and that of `serverUrl`. */
  hosts?: readonly string[];
  /** The address by which people reach the host, for links in e-mails. Default: the loopback address and port. */
  serverUrl?: string | undefined;
  /** Called for each mail that was written into the data folder. */
  onMail?: (mail: SavedMail) => void;
  /** Called while the first start creates the organization. */
  onCreation?: ReportProgress;
}

export interface LocalHost {
  url: string;
  /** The functions' environment variables, for tools and tests. */
  environment: Record<string, string>;
  /** Whether this start created the organization. */
  created: boolean;
  stop(): Promise<void>;
}

/** Starts the whole fleet in this process, with the table and what answers in place of AWS. At most one host in a process. */
export async function startHost(options: HostOptions): Promise<LocalHost> {
  const { dataFolder, organizationFile, port, waiting = "held", hosts = [], serverUrl, onMail, onCreation } = options;
  const { tableEndpoint, address: listenAddress, development = true } = options;
  checkRateLimits();
  checkScimToken();
  if (development && listenAddress && !isLoopback(listenAddress))
    throw new CannotStartError(
      `Anybody who reaches ${listenAddress} could sign in as any user: set SKEIN_DEVELOPMENT=false, or unset HOST.`,
    );
  const identityProviders = JSON.stringify(localProviders());
  const folderLock = lockDataFolder(dataFolder);
  const { loaded, unloaded } = await openFleet();
  const fleet = fleetFor(loaded, waiting);
  const endpoints = [...fleet.filter(isEndpoint), ...unloaded].sort((a, b) => (a.file < b.file ? -1 : 1));
  process.env.MAIL_FROM = process.env.SKEIN_MAIL_FROM ?? "skein@localhost";
  process.env.MAIL_DOMAIN = process.env.SKEIN_MAIL_DOMAIN?.toLowerCase() ?? "";
  process.env.MAIL_VERDICTS_BY = process.env.SKEIN_MAIL_VERDICTS_BY ?? "";
  const configured = configuredServices();
  const workers = fleet.filter(isWorker).filter(({ spec }) => !isUnconfigured(spec, configured));
  const recurringRunner = new RecurringRunner(
    fleet.filter(isRecurring).filter(({ spec }) => !isUnconfigured(spec, configured)),
  );
  const sockets = startSockets(fleet.filter(isConnection), () => foreignEntries.begin());
  const [openedTable, services] = await Promise.all([
    tableEndpoint ? openOutsideTable(tableEndpoint) : openTable(dataFolder),
    startServices({
      dataFolder: join(dataFolder, "aws"),
      receiversAreGone: true,
      onMail,
      invoke: (name, event) => recurringRunner.run(name, event as RecurringEvent),
    }),
  ]);
  const fallback = fleet.find(isFallback);
  if (!fallback) throw new Error("The fleet has no fallback function");

  const environment: Record<string, string> = {
    ...openedTable.environment,
    SKEIN_DEVELOPMENT: String(development),
    SKEIN_RATE_LIMITS: process.env.SKEIN_RATE_LIMITS || defaultRateLimits,
    MAIL_FROM: process.env.MAIL_FROM,
    MAIL_DOMAIN: process.env.MAIL_DOMAIN,
    MAIL_VERDICTS_BY: process.env.MAIL_VERDICTS_BY,
    SKEIN_OIDC: identityProviders,
    ...(waiting === "wake-up-queue" && { WAKE_UP_QUEUES_URL: queueUrl("skein-wake-up-") }),
    ...provision(fleet, services),
  };
  Object.assign(process.env, environment);
  const builtFile = builtFiles(routesOf(endpoints), () =>
    Promise.all(endpoints.map(async (endpoint) => (isUnloaded(endpoint) ? endpoint.load() : endpoint))),
  );
  provideHost({
    builtFile: async (name) => {
      const file = await builtFile(name);
      // Its process has nothing more to do once the page is built.
      if (name === "web-client.json" || name === "page.html") await (await import("esbuild")).stop();
      return file;
    },
    maxUploadBytes: maxStreamedFileBytes,
    table: () => openedTable.table,
    aws: () => services.answer,
    // Requests are answered in this process, within milliseconds unless it is overloaded.
    settleMs: 5000,
  });

  const created = await createOrganization(
    parseOrganizationFile(readFileSync(organizationFile, "utf8")),
    process.env,
    dirname(organizationFile),
    onCreation,
  );
  await announceBuild(buildIdentity(), { silently: created });
  if (process.env.SKEIN_REACTIVATE === "true") await reactivateOrganization();
  if (process.env.SKEIN_ENABLE_PASSWORDS === "true") await enablePasswords();
  // The route needs no check at run time: tests cover it.
  if (waiting === "wake-up-queue") await putWakeUpProof();
  answerConnectionCalls(sockets);
  guardCalls();
  const visibilitySecondsOf = new Map(queuesOf(fleet).map(({ name, visibilitySeconds }) => [name, visibilitySeconds]));
  const sources = workers.map((member) => {
    const { queue, batchSize = 10, concurrency = 5 } = member.spec;
    return startEventSource({
      queue: services,
      queueUrl: environment[queueUrlVariable(queue)] as string,
      queueArn: environment[queueArnVariable(queue)] as string,
      batchSize,
      concurrency,
      visibilityTimeoutSeconds: visibilitySecondsOf.get(queue) as number,
      handler: (event) => runGuarded(member.name, member.spec.uses, () => member.handler(event)),
    });
  });
  const followers = fleet
    .filter(isFollower)
    .map(({ name, spec, handler }) =>
      startLogSource((event) => runGuarded(name, spec.uses, () => handler(event)), spec),
    );
  const foreignEntries = followForeignEntries(sockets.isConnected);
  const wakeUps = environment.WAKE_UP_QUEUES_URL
    ? wakeUpIntegration(environment.WAKE_UP_QUEUES_URL, services.receiveMessage)
    : undefined;
  const server = await startGateway(endpoints, fallback, port, {
    wakeUps,
    sockets,
    uploadFolder: join(dataFolder, "aws"),
    ...(listenAddress && { address: listenAddress }),
    hosts: serverUrl === undefined ? hosts : [...hosts, hostNameOf(serverUrl)],
  });
  const mailReceivers = process.env.MAIL_DOMAIN ? await receiveMails(dataFolder) : undefined;
  if (mailReceivers?.port !== undefined) environment.SKEIN_MAIL_PORT = String(mailReceivers.port);
  // Once requests are answered: what was missed while the host was down has waited for longer.
  recurringRunner.start();
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : port}`;
  environment.SKEIN_URL = serverUrl ?? url;
  process.env.SKEIN_URL = environment.SKEIN_URL;

  return {
    url,
    environment,
    created,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      sockets.close();
      await Promise.all([
        ...[...sources, ...followers].map((source) => source.stop()),
        recurringRunner.stop(),
        foreignEntries.stop(),
        mailReceivers?.stop(),
      ]);
      await services.close();
      await openedTable.close();
      folderLock.release();
    },
  };
}

function localProviders() {
  try {
    return readProviders(process.env.SKEIN_OIDC ?? "", "client_secret");
  } catch (error) {
    throw new CannotStartError(`SKEIN_OIDC: ${(error as Error).message}`);
  }
}

/** Whoever guesses the token can deactivate everybody. */
const minScimTokenLength = 32;

function checkScimToken(): void {
  const token = scimTokenText();
  if (token !== undefined && !new RegExp(`^[!-~]{${minScimTokenLength},}$`).test(token))
    throw new CannotStartError(
      `SKEIN_SCIM_TOKEN must have at least ${minScimTokenLength} characters, without spaces: try openssl rand -hex 32`,
    );
}

function checkRateLimits(): void {
  try {
    rateLimits();
    advertisedLevel();
    auditLogDays();
  } catch (error) {
    throw new CannotStartError((error as Error).message);
  }
}
