import { readFileSync } from "node:fs";
import type { Actor } from "../host/bench-host.ts";
import type { ClientRequest } from "../host/invoke.ts";

/** The values that acts use: people, a channel, and the replies of earlier acts. */
export interface ActContext {
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
  /** The bodies of the replies of earlier acts, by the act's name. */
  replies: Record<string, any>;
}

/** An act is a typical request to an endpoint, whose table calls and cost the bench counts. */
export interface Act {
  /** The name in the table, and the key of the reply in `replies`. */
  name: string;
  /**
   * Method and path. A placeholder such as `{other.id}` is replaced by that value of the context, and one such as
   * `{create a user.user_id}` by the field `user_id` of the reply to the act "create a user".
   */
  line: string;
  /** Who sends the request; absent: the member. "nobody" sends no credentials. */
  by?: "owner" | "nobody" | "other" | "leaver";
  /** Runs before the act, and is not counted. */
  prepare?: (context: ActContext) => Promise<void> | void;
  /** Runs immediately after the previous act, without a pause, like a poll for the message that was just sent. */
  followsAtOnce?: true;
  request: (context: ActContext) => ClientRequest;
}

/** Creates an act that sends `params`. */
export const act = (
  name: string,
  line: string,
  params: (context: ActContext) => Record<string, unknown> = () => ({}),
  by?: Act["by"],
): Act => {
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

/** An act that runs immediately after the previous one. */
export const followingAtOnce = (next: Act): Act => ({ ...next, followsAtOnce: true });

/** An act with a preparation that is not counted. */
export const withPreparation = (prepare: NonNullable<Act["prepare"]>, prepared: Act): Act => ({ ...prepared, prepare });

/** An act that uploads a file. */
export const uploading = (
  name: string,
  line: string,
  file: ClientRequest["file"],
  by?: Act["by"],
  params: Record<string, unknown> = {},
): Act => {
  const plain = act(name, line, () => params, by);
  return { ...plain, request: (context) => ({ ...plain.request(context), file }) };
};
/** A picture to upload. */
export const png = {
  name: "globe.png",
  bytes: readFileSync(new URL("../../test/support/globe.png", import.meta.url)),
};
/** The narrow of the topic that most acts use. */
export const narrowTo = ({ channel, topic }: ActContext) => [
  ["channel", channel.name],
  ["topic", topic],
];
/** Parameters that fetch the newest hundred messages. */
export const newest100 = { anchor: "newest", num_before: 100, num_after: 0 };
/** This time tomorrow, in UNIX seconds. */
export const tomorrow = () => Math.floor(Date.now() / 1000) + 86_400;
