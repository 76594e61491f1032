import { connectionsPerJob } from "../../shared/features/events/connections/post-jobs.ts";
import { maxKnownQueues, maxPostedDirectly } from "../../shared/features/events/notify-waiters.ts";
import { costOfRun, dollars, functionGb, prices } from "../month/prices.ts";
import { type Section, table } from "../section.ts";
import { runInChildProcess } from "./child-process.ts";
import { functionSeconds, processorShare } from "./waiting.ts";

/** What a client costs that waits at a WebSocket. */

interface Units {
  readUnits: number;
  writeUnits: number;
}

/** The measured cost of each step of a connection. */
export interface ConnectedFigures {
  /** `POST /events/connection`. */
  ticket: Units;
  /** The function that opens a connection. */
  opened: Units;
  /** The function that answers an acknowledgement without news; `reported` also reports the user and asks for presences. */
  acknowledged: Units;
  reported: Units;
  /** What an acknowledgement writes after four minutes. */
  noted: Pick<Units, "writeUnits">;
  /** Posting an event to one of the connections of a run of the notifier, which has posted to them before. */
  posted: Units;
  /** Posting an event to one of the connections of a job in a new process. */
  postedByJob: Units;
  /** Its CPU time, with that of the server that stands for API Gateway. */
  postedCpuMs: number;
  /** Bytes of a message with one event. */
  eventBytes: number;
}

/** A page acknowledges this often (web/session/event-socket.ts). */
const acknowledgementsPerHour = 3600 / 240;
/** A page opens another connection after 6,500 s on average, and when it is opened: twice in a day of eight hours. */
const connectionsPerHour = 3600 / 6500 + 2 / 8;
/** The first message of a connection names it in the record that the notifier reads. */
const writeUnitsOfFirstMessage = 2;
/** A report of presence reads the account as any request; the operation in which it is counted does, too. */
const readUnitsOfAuthentication = 1;
/** Larger presences are not in the answer: the page asks for them by a request (shared/features/events/connections/presence.ts). */
const maxPresenceBytes = 16 * 1024;
/** Of a person in the modern format. Between two acknowledgements everybody has reported. */
const presenceBytes = 69;

/** What connected clients do in a month. */
interface ConnectedMonth {
  /** Members of the organization, whose presences are in the answers. */
  people: number;
  clientHours: number;
  /** How often an event is posted to a connection. */
  posts: number;
}

interface ConnectedBill {
  gateway: number;
  functions: number;
  table: number;
  /** Runs of the functions of connections, without the notifier. */
  calls: number;
  /** Requests to the HTTP API: tickets, and presences that are too large for a message. */
  tickets: number;
  presenceRequests: number;
  /** Bytes of the messages to clients. */
  bytes: number;
}

const units = ({ readUnits, writeUnits }: Units) => readUnits * prices.readUnit + writeUnits * prices.writeUnit;

/**
 * What connections cost in a month, where `presence` is what `POST /users/me/presence` takes in an organization of this size; except for the notifier's runs and the requests for large presences.
 */
export function connectedBill(
  { ticket, opened, acknowledged, noted, posted, postedByJob, postedCpuMs, eventBytes }: ConnectedFigures,
  { people, clientHours, posts }: ConnectedMonth,
  presence: Units,
): ConnectedBill {
  const acknowledgements = acknowledgementsPerHour * clientHours;
  const connections = connectionsPerHour * clientHours;
  const isInAnswer = people * presenceBytes <= maxPresenceBytes;
  // Each acknowledgement has an answer. Opening is counted as a message, too.
  const messages = 2 * (acknowledgements + connections) + connections + posts;
  const ofReport = {
    readUnits: acknowledged.readUnits + presence.readUnits - readUnitsOfAuthentication,
    writeUnits: noted.writeUnits + presence.writeUnits,
  };
  return {
    gateway: messages * prices.connectionMessage + clientHours * 60 * prices.connectionMinute,
    functions:
      (acknowledgements + 2 * connections) * costOfRun() +
      posts * functionSeconds(postedCpuMs) * functionGb * prices.lambdaGbSecond,
    table:
      (acknowledgements + connections) * units(ofReport) +
      connections * (units(ticket) + units(opened) + writeUnitsOfFirstMessage * prices.writeUnit) +
      // With more connections than a process keeps queues of, as if it kept none.
      posts * units(people > maxKnownQueues ? postedByJob : posted),
    calls: acknowledgements + 2 * connections,
    tickets: connections,
    presenceRequests: isInAnswer ? 0 : acknowledgements,
    bytes: posts * eventBytes + (isInAnswer ? acknowledgements * people * presenceBytes : 0),
  };
}

/**
 * What it costs to deliver an event to some connected clients: a message each, its part of the run of a function, and the jobs for
 * those to whom the notifier does not post itself.
 */
export function priceOfPosts({ posted, postedByJob, postedCpuMs }: ConnectedFigures, clients: number): number {
  const each = prices.connectionMessage + functionSeconds(postedCpuMs) * functionGb * prices.lambdaGbSecond;
  const byJob = Math.max(0, clients - maxPostedDirectly);
  // A job is sent, received and deleted.
  const job = prices.lambdaRequest + 3 * prices.queueRequest;
  return clients * each + (clients - byJob) * units(posted) + byJob * (units(postedByJob) + job / connectionsPerJob);
}

export const connected: Section<ConnectedFigures> = {
  name: "connected",
  document: "docs/cost.md",
  title: "The price of a connection",
  measure: () => runInChildProcess("connected-process.ts"),
  text: (figures) => {
    const { ticket, opened, acknowledged, reported, posted, postedByJob, postedCpuMs, eventBytes } = figures;
    const hour = connectedBill(
      figures,
      { people: 11, clientHours: 1, posts: 0 },
      {
        ...reported,
        readUnits: reported.readUnits - acknowledged.readUnits + readUnitsOfAuthentication,
        writeUnits: 1,
      },
    );
    const row = (name: string, { readUnits, writeUnits }: Units) => [
      name,
      ...[readUnits, writeUnits].map((value) => Number(value.toPrecision(3))),
    ];
    return [
      `API Gateway bills a client [on a WebSocket](clients.md#by-a-websocket) by the minute (${dollars(prices.connectionMinute * 1e6)} a million) and for each 32 KB in either direction`,
      `(${dollars(prices.connectionMessage * 1e6)} a million). Counted in a team of eleven people who are all connected:`,
      "",
      table(
        ["step", "read units", "write units"],
        [
          row("`POST /events/connection`", ticket),
          row("opening the connection", opened),
          row("an acknowledgement", acknowledged),
          row("an acknowledgement with a report, answered with presences", reported),
          row("posting an event to one of eleven connections", posted),
          row("posting it by a job in a new process, as to all but a hundred", postedByJob),
        ],
      ),
      "",
      `An hour in which nothing happens costs a client ${dollars(hour.gateway + hour.functions + hour.table)}: 60 minutes, ${acknowledgementsPerHour} acknowledgements with a report and their answers, and`,
      `part of a new connection. Delivering a million events costs ${dollars(priceOfPosts(figures, 1) * 1e6)}, with ${postedCpuMs.toFixed(1)} ms of CPU each on a function that has ${processorShare.toFixed(2)} of a processor; a`,
      `message with one event has ${eventBytes} bytes.`,
    ].join("\n");
  },
};
