import { ordinaryText } from "../../test/support/table/seeding.ts";
import { message, narrowTo, queuesOf, type Request, type Side, sendMessages } from "./side.ts";

/** A side with what the everyday requests need. */
export interface Prepared extends Side {
  /** Of each actor, an event queue in which a message's event waits. */
  waitingQueues: string[];
  /** The IDs of the messages that each actor has sent. */
  messages: number[][];
}

export interface EverydayRequest {
  /** The request of a connection in its run number . */
  request: (side: Prepared, connection: number, run: number) => Request;
  /** Takes the change back, so that the next run makes the same one. */
  undo?: EverydayRequest["request"];
  /** Whether the log's subscribers have work to do afterwards, such as indexing the message. */
  leavesWork?: boolean;
}

const messagesEach = 20;

export async function prepare(side: Side): Promise<Prepared> {
  const messages = await sendMessages(side, "breach", messagesEach);
  const waitingQueues = await queuesOf(side, ["message"]);
  await sendMessages(side, "arrival", 1);
  return { ...side, waitingQueues, messages };
}

const messageOf = ({ messages }: Prepared, actor: number, run: number) =>
  messages[actor % messages.length]?.[run % messagesEach] as number;
/** A message that another actor has sent. */
const othersMessage = (side: Prepared, n: number, run: number) => messageOf(side, n + 1, run);
const otherId = ({ actors }: Prepared, n: number) => actors[(n + 1) % actors.length]?.id as number;

const changeOf =
  (method: "POST" | "DELETE") =>
  (side: Prepared, n: number, run: number): Request => [
    method,
    `/messages/${othersMessage(side, n, run)}/reactions`,
    { emoji_name: "tada" },
  ];

const readMark =
  (op: "add" | "remove") =>
  (side: Prepared, n: number, run: number): Request => [
    "POST",
    "/messages/flags",
    { op, flag: "read", messages: [othersMessage(side, n, run)] },
  ];

const fetchOf = (anchor: string, num_before: number, num_after: number): Request => [
  "GET",
  "/messages",
  { anchor, num_before, num_after, narrow: narrowTo("breach").slice(0, 1) },
];

let edits = 0;

/** The requests that clients make all day, those without consequences first. */
export const everydayRequests: Record<string, EverydayRequest> = {
  "poll with an event waiting": {
    request: ({ waitingQueues }, n) => [
      "GET",
      "/events",
      { queue_id: waitingQueues[n % waitingQueues.length], last_event_id: -1, dont_block: true },
    ],
  },
  register: { request: () => ["POST", "/register", {}] },
  "fetch 100 of a channel": { request: () => fetchOf("newest", 100, 0) },
  "fetch from the first unread": { request: () => fetchOf("first_unread", 50, 50) },
  typing: { request: (side, n) => ["POST", "/typing", { op: "start", to: [otherId(side, n)] }] },
  react: { request: changeOf("POST"), undo: changeOf("DELETE") },
  "mark as read": { request: readMark("add"), undo: readMark("remove"), leavesWork: true },
  edit: {
    request: (side, n, run) => [
      "PATCH",
      `/messages/${messageOf(side, n, run)}`,
      { content: `${ordinaryText} ${++edits}` },
    ],
    leavesWork: true,
  },
  send: { request: (_, n) => message(`of ${n}`), leavesWork: true },
  "send directly": {
    request: (side, n) => ["POST", "/messages", { type: "direct", to: [otherId(side, n)], content: ordinaryText }],
    leavesWork: true,
  },
};
