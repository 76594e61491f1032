import { ordinaryText } from "../../test/support/table/seeding.ts";
import { message, narrowTo, queuesOf, type Request, type Side, sendMessages } from "./side.ts";

/** A side with the queues and messages that the everyday requests use. */
export interface PreparedSide extends Side {
  /** For each actor, an event queue that contains a message event. */
  queuesWithEvent: string[];
  /** The IDs of the messages that each actor has sent. */
  messages: number[][];
}

export interface EverydayRequest {
  /** The request that a connection makes in its run number `run`. */
  request: (side: PreparedSide, connection: number, run: number) => Request;
  /** Undoes the change, so that the next run can make it again. */
  undo?: EverydayRequest["request"];
  /** Whether the log's subscribers have work to do afterwards, such as indexing the message. */
  leavesBackgroundWork?: boolean;
}

const messagesPerActor = 20;

/** Sends the messages and registers the queues; each queue contains one message event. */
export async function prepare(side: Side): Promise<PreparedSide> {
  const messages = await sendMessages(side, "breach", messagesPerActor);
  const queuesWithEvent = await queuesOf(side, ["message"]);
  await sendMessages(side, "arrival", 1);
  return { ...side, queuesWithEvent, messages };
}

const messageOf = ({ messages }: PreparedSide, actor: number, run: number) =>
  messages[actor % messages.length]?.[run % messagesPerActor] as number;
/** A message that another actor has sent. */
const othersMessage = (side: PreparedSide, connection: number, run: number) => messageOf(side, connection + 1, run);
const otherId = ({ actors }: PreparedSide, connection: number) =>
  actors[(connection + 1) % actors.length]?.id as number;

const reactionRequest =
  (method: "POST" | "DELETE") =>
  (side: PreparedSide, connection: number, run: number): Request => [
    method,
    `/messages/${othersMessage(side, connection, run)}/reactions`,
    { emoji_name: "tada" },
  ];

const readFlagRequest =
  (op: "add" | "remove") =>
  (side: PreparedSide, connection: number, run: number): Request => [
    "POST",
    "/messages/flags",
    { op, flag: "read", messages: [othersMessage(side, connection, run)] },
  ];

const fetchRequest = (anchor: string, num_before: number, num_after: number): Request => [
  "GET",
  "/messages",
  { anchor, num_before, num_after, narrow: narrowTo("breach").slice(0, 1) },
];

/** The number of edits so far, which makes the text of each different. */
let edits = 0;

/** The requests that clients make all day; those that change nothing come first. */
export const everydayRequests: Record<string, EverydayRequest> = {
  "poll with an event waiting": {
    request: ({ queuesWithEvent }, connection) => [
      "GET",
      "/events",
      { queue_id: queuesWithEvent[connection % queuesWithEvent.length], last_event_id: -1, dont_block: true },
    ],
  },
  register: { request: () => ["POST", "/register", {}] },
  "fetch 100 of a channel": { request: () => fetchRequest("newest", 100, 0) },
  "fetch from the first unread": { request: () => fetchRequest("first_unread", 50, 50) },
  typing: { request: (side, connection) => ["POST", "/typing", { op: "start", to: [otherId(side, connection)] }] },
  react: { request: reactionRequest("POST"), undo: reactionRequest("DELETE") },
  "mark as read": { request: readFlagRequest("add"), undo: readFlagRequest("remove"), leavesBackgroundWork: true },
  edit: {
    request: (side, connection, run) => [
      "PATCH",
      `/messages/${messageOf(side, connection, run)}`,
      { content: `${ordinaryText} ${++edits}` },
    ],
    leavesBackgroundWork: true,
  },
  send: { request: (_, connection) => message(`topic ${connection}`), leavesBackgroundWork: true },
  "send directly": {
    request: (side, connection) => [
      "POST",
      "/messages",
      { type: "direct", to: [otherId(side, connection)], content: ordinaryText },
    ],
    leavesBackgroundWork: true,
  },
};
