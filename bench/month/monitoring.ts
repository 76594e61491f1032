import type { CountedCall } from "../calls.ts";
import type { TeamMonth } from "./behaviour.ts";
import { type IdleLoad, monthHours, paidForSmokeTests, smokeTestsCost } from "./idle-load.ts";
import { accessLineBytes, functionLineBytes } from "./lines.ts";
import { prices } from "./prices.ts";

/** How many metrics a fleet with a dashboard or alarms writes for requests, and for jobs. Retries are written only where there are any. */
const requestMetrics = 3;
const jobMetrics = 5;
/** The alarms of a fleet; test/infra/aws/synth.test.ts counts them. */
export const alarmCount = 10;
const gigabytes = (bytes: number) => bytes / 1e9;
/** The permanent free allowance of logs in a month. */
const freeGb = 5;
const freeDashboards = 3;
const freeMetrics = 10;
const freeAlarms = 10;
/** The price of ingesting a GB of lines and storing it for a month. */
const pricePerGb = prices.logGb + prices.logKeptGb;

/** Dollars of a month's logs or monitoring, and the part that permanent free allowances cover. */
interface MonitoringCost {
  dollars: number;
  free: number;
}

/** The number of log lines in a month, by cause. */
interface LogVolume {
  /** How often each operation happens, by name. */
  operations: Record<string, number>;
  /** What was counted for one run of an operation. */
  countedAs(name: string): CountedCall;
  /** Requests of waiting clients to the gateway. */
  waitRequests: number;
  /** Function runs that these requests cause, including those that notify wake-up queues. */
  waitCalls: number;
  /** Runs of the function that notifies wake-up queues. */
  notifierRuns: number;
  /** Runs of recurring work. */
  runs: number;
}

/** The endpoint that checks for events at the end of a wake-up route. */
const lookRoute = "GET /events/{queue_id}/{last_event_id}/look";
const atGateway = (endpoint: string) => accessLineBytes(endpoint.replace(" /", " /api/v1/"));

/** The cost of the logs of functions and of the gateway; the code that writes a line determines its size. */
export function logsOf(
  { operations, countedAs, waitRequests, waitCalls, notifierRuns, runs }: LogVolume,
  { metrics = false } = {},
): MonitoringCost {
  const sumOverOperations = (figureOf: (call: CountedCall) => number) =>
    Object.entries(operations).reduce((total, [name, times]) => total + figureOf(countedAs(name)) * times, 0);
  const line = (endpoint: string, usage: CountedCall) => functionLineBytes(endpoint, usage, { metrics });
  const look = countedAs("check for events");
  const functions =
    sumOverOperations((call) => line(call.endpoint, call)) +
    (waitCalls - notifierRuns) * line(lookRoute, look) +
    notifierRuns * line("job log-entries", look) +
    runs * line("job scheduled-messages-sweeps", look);
  const gateway = sumOverOperations((call) => atGateway(call.endpoint)) + waitRequests * atGateway(lookRoute);
  const written = gigabytes(functions + gateway);
  return { dollars: written * pricePerGb, free: Math.min(written, freeGb) * pricePerGb };
}

type Hours = Pick<TeamMonth, "clientHours" | "people">;

/** The cost of the metrics; those of requests are only paid for hours with requests. */
const metricsOf = ({ clientHours, people }: Hours) =>
  prices.metricMonth * (jobMetrics + requestMetrics * (clientHours / people / monthHours));

/** The cost of the dashboard and its metrics. */
export function dashboardOf(hours: Hours): MonitoringCost {
  const dollars = prices.dashboardMonth + metricsOf(hours);
  return {
    dollars,
    free: Math.min(dollars, freeDashboards * prices.dashboardMonth + freeMetrics * prices.metricMonth),
  };
}

/** The cost of the alarms, their metrics, and the smoke test that runs for them. */
export function alarmsOf(hours: Hours): MonitoringCost {
  const [metrics, smokeTests] = [metricsOf(hours), smokeTestsCost()];
  return {
    dollars: alarmCount * prices.alarmMonth + metrics + smokeTests,
    free:
      Math.min(alarmCount, freeAlarms) * prices.alarmMonth +
      Math.min(metrics, freeMetrics * prices.metricMonth) +
      (smokeTests - paidForSmokeTests()),
  };
}

/** The cost of the logs of an idle fleet. */
export const idleLogsCost = ({ runs }: IdleLoad): number => {
  const usage = { readUnits: 3, writeUnits: 0, tableCalls: 3, stages: 2, otherCalls: 0 };
  const bytes = runs * functionLineBytes("job scheduled-messages-sweeps", usage);
  return gigabytes(bytes) * pricePerGb;
};
