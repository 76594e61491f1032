import type { Shape, Values } from "../../base/schema/params.ts";
import type { HttpRequest } from "../../services/http/event.ts";
import type { Caller } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";

/** What the tools of assistants have in common. */

/** An endpoint that answers a caller within another function (`endpoint`). */
type Answer<P, R> = (given: { caller: Caller; params: P; request: HttpRequest }) => Promise<R>;

type NamedDestination =
  | { type: "channel"; to: number; topic: string; content: string }
  | { type: "direct"; to: number[]; content: string };

/** The endpoints by which agents write. */
export interface Writers {
  sendMessage: Answer<NamedDestination, { id: number }>;
  editMessage: Answer<
    {
      message_id: number;
      content?: string;
      topic?: string;
      propagate_mode: "change_one" | "change_all";
      send_notification_to_old_thread: boolean;
      send_notification_to_new_thread: boolean;
    },
    unknown
  >;
  addReaction: Answer<{ message_id: number; emoji_name: string }, unknown>;
  scheduleMessage: Answer<
    NamedDestination & { scheduled_delivery_timestamp: number },
    { scheduled_message_id: number }
  >;
  uploadFile: Answer<object, { url: string; filename: string }>;
  updateUserTopic: Answer<{ stream_id: number; topic: string; visibility_policy: 0 | 1 | 2 | 3 }, unknown>;
}

/** Who calls a tool, and the URL of the server for links. */
export interface AgentRequest {
  caller: Caller;
  realm: Realm;
  baseUrl: string;
  /** As the endpoints that write get it: its client is the agent. */
  request: HttpRequest;
  writers: Writers;
}

/** A tool's reply: what people have written, absent if it is none of that, and what the server says about it. */
export interface ToolReply {
  data?: string;
  note: string;
  /** The message that the tool has sent. */
  messageId?: number;
}

export interface Tool<S extends Shape> {
  name: string;
  title: string;
  description: string;
  params: S;
  /** What a tool that writes does to what is there; absent: it only reads. */
  writes?: "adds" | "changes";
  run: (request: AgentRequest, params: Values<S>) => Promise<ToolReply>;
}

export const tool = <const S extends Shape>(declared: Tool<S>): Tool<S> => declared;
