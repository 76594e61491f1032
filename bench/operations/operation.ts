import { readFileSync } from "node:fs";
import type { Actor } from "../host/bench-host.ts";
import type { ClientRequest } from "../host/invoke.ts";

/** The values that operations use: people, a channel, and the replies of earlier operations. */
export interface OperationContext {
  owner: Actor;
  /** An ordinary member, subscribed to the large channel. */
  member: Actor;
  /** A second ordinary member. */
  other: Actor;
  /** A user who changes their API key and deactivates themselves. */
  leaver: Actor;
  channel: { id: number; name: string };
  topic: string;
  /** The ID of the newest seeded message. */
  newestId: number;
  /** The number of users. */
  users: number;
  /** A part of names that must be unique; different for each size of the organization. */
  suffix: string;
  /** The bodies of the replies of earlier operations, by the operation's name. */
  replies: Record<string, any>;
}

/** An operation is a typical request to an endpoint, whose table calls and cost the bench counts. */
export interface Operation {
  /** The name in the table, and the key of the reply in `replies`. */
  name: string;
  /**
   * Method and path. A placeholder such as `{other.id}` is replaced by that value of the context, and one such as
   * `{create a user.user_id}` by the field `user_id` of the reply to the operation "create a user".
   */
  line: string;
  /** Who sends the request; absent: the member. "nobody" sends no credentials. */
  by?: "owner" | "nobody" | "other" | "leaver";
  /** Runs before the operation, and is not counted. */
  prepare?: (context: OperationContext) => Promise<void> | void;
  /** Runs immediately after the previous operation, without a pause, like a poll for the message that was just sent. */
  followsAtOnce?: true;
  request: (context: OperationContext) => ClientRequest;
}

/** Creates an operation that sends `params`. */
export const operation = (
  name: string,
  line: string,
  params: (context: OperationContext) => Record<string, unknown> = () => ({}),
  by?: Operation["by"],
): Operation => {
  const [, method = "", path = ""] = /^(\S+) (.*)$/.exec(line) ?? [];
  return {
    name,
    line,
    ...(by && { by }),
    request: (context) => {
      const filled = path.replace(/\{([^}]+)\}/g, (_, placeholder: string) =>
        String(placeholder.split(".").reduce<any>((value, part) => value?.[part], { ...context, ...context.replies })),
      );
      return { method, path: filled, params: params(context) };
    },
  };
};

/** An operation that runs immediately after the previous one. */
export const followingAtOnce = (next: Operation): Operation => ({ ...next, followsAtOnce: true });

/** An operation with a preparation that is not counted. */
export const withPreparation = (prepare: NonNullable<Operation["prepare"]>, prepared: Operation): Operation => ({
  ...prepared,
  prepare,
});

/** An operation that uploads a file. */
export const uploading = (
  name: string,
  line: string,
  file: ClientRequest["file"],
  by?: Operation["by"],
  params: Record<string, unknown> = {},
): Operation => {
  const plain = operation(name, line, () => params, by);
  return { ...plain, request: (context) => ({ ...plain.request(context), file }) };
};
/** A picture to upload. */
export const png = {
  name: "globe.png",
  bytes: readFileSync(new URL("../../test/support/globe.png", import.meta.url)),
};
/** The narrow of the topic that most operations use. */
export const narrowTo = ({ channel, topic }: OperationContext) => [
  ["channel", channel.name],
  ["topic", topic],
];
/** Parameters that fetch the newest hundred messages. */
export const newest100 = { anchor: "newest", num_before: 100, num_after: 0 };
/** This time tomorrow, in UNIX seconds. */
export const tomorrow = () => Math.floor(Date.now() / 1000) + 86_400;
