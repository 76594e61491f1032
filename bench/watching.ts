import { type Asleep, monthHours } from "./asleep.ts";
import type { TeamMonth } from "./behaviour.ts";
import type { Counted } from "./calls.ts";
import { accessLine, functionLine } from "./lines.ts";
import { prices } from "./prices.ts";

/** Metrics that a fleet with a dashboard writes: four of its requests, four of its jobs; these every hour. */
const metricsOfAKind = 4;
const gb = (bytes: number) => bytes / 1e9;
const freeGb = 5;
/** Of lines that are taken in and kept for a month. */
const gbPrice = prices.logGb + prices.logKeptGb;

/** Dollars of a month's logs or watching, and what of them is AWS's for good at most. */
export interface Watched {
  dollars: number;
  free: number;
}

/** How often what is written down happens in a month. */
export interface Written {
  /** Acts by their name, and what each used. */
  acts: Record<string, number>;
  countedAs(name: string): Counted;
  /** Requests and functions' runs of clients that wait. */
  waitRequests: number;
  waitCalls: number;
  news: number;
  /** Runs by the schedule. */
  runs: number;
}

const lookRoute = "GET /events/{queue_id}/{last_event_id}/look";
const atGateway = (endpoint: string) => accessLine(endpoint.replace(" /", " /api/v1/"));

/** The logs of functions and of the gateway: each line's bytes follow from the code that writes it. */
export function logsOf(
  { acts, countedAs, waitRequests, waitCalls, news, runs }: Written,
  { dashboard = false } = {},
): Watched {
  const sum = (of: (one: Counted) => number) =>
    Object.entries(acts).reduce((total, [name, times]) => total + of(countedAs(name)) * times, 0);
  const line = (endpoint: string, used: Counted) => functionLine(endpoint, used, { metrics: dashboard });
  const look = countedAs("look for events");
  const functions =
    sum((one) => line(one.endpoint, one)) +
    (waitCalls - news) * line(lookRoute, look) +
    news * line("job log-entries", look) +
    runs * line("job scheduled-messages-sweeps", look);
  const gateway = sum((one) => atGateway(one.endpoint)) + waitRequests * atGateway(lookRoute);
  const written = gb(functions + gateway);
  return { dollars: written * gbPrice, free: Math.min(written, freeGb) * gbPrice };
}

/** The dashboard and the metrics that it brings; those of requests are paid for the hours in which there are any. */
export function dashboardOf({ clientHours, people }: Pick<TeamMonth, "clientHours" | "people">): Watched {
  const dollars = prices.dashboardMonth + metricsOfAKind * prices.metricMonth * (1 + clientHours / people / monthHours);
  return { dollars, free: Math.min(dollars, 3 * prices.dashboardMonth + 10 * prices.metricMonth) };
}

/** The logs of a fleet that nobody uses. */
export const logsAsleep = ({ runs }: Asleep): number => {
  const used = { readUnits: 3, writeUnits: 0, tableCalls: 3, stages: 2, otherCalls: 0 };
  const bytes = runs * functionLine("job scheduled-messages-sweeps", used);
  return gb(bytes) * gbPrice;
};
