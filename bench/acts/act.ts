import { readFileSync } from "node:fs";
import type { Actor } from "../host/bench-host.ts";
import type { ClientRequest } from "../host/invoke.ts";

/** What acts refer to: people, a channel, and the replies of earlier acts. */
export interface ActContext {
  owner: Actor;
  /** An ordinary member, subscribed to the large channel. */
  member: Actor;
  other: Actor;
  /** A user who changes their API key and deactivates themselves. */
  leaver: Actor;
  channel: { id: number; name: string };
  topic: string;
  /** The ID of the newest seeded message. */
  newestId: number;
  /** The number of users. */
  users: number;
  /** Differs for each size of the organization; a part of names that must be unique. */
  run: string;
  /** The bodies of the replies of earlier acts, by the act's name. */
  replies: Record<string, any>;
}

/** A typical request to an endpoint, whose table calls and cost are counted. */
export interface Act {
  /** The name in the table, and the key of the reply in `replies`. */
  name: string;
  /** Method and path; `{a.b}` is replaced by that value of the context or of an earlier reply. */
  line: string;
  /** Who sends the request; absent: the member. "nobody" sends no credentials. */
  by?: "owner" | "nobody" | "other" | "leaver";
  /** Runs before the act; not counted. */
  prepare?: (context: ActContext) => Promise<void> | void;
  /** Runs immediately after the previous act, without a pause, like a poll for the message that was just sent. */
  followsAtOnce?: true;
  request: (context: ActContext) => ClientRequest;
}

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
      const filled = path.replace(/\{([^}]+)\}/g, (_, hole: string) =>
        String(hole.split(".").reduce<any>((value, part) => value?.[part], { ...context, ...context.replies })),
      );
      return { method, path: filled, params: params(context) };
    },
  };
};

/** An act that runs immediately after the previous one. */
export const followingAtOnce = (following: Act): Act => ({ ...following, followsAtOnce: true });

/** An act with a preparation that is not counted. */
export const withPreparation = (prepare: NonNullable<Act["prepare"]>, prepared: Act): Act => ({ ...prepared, prepare });

const picture = readFileSync(new URL("../../test/support/globe.png", import.meta.url));
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
export const png = { name: "globe.png", bytes: picture };
export const narrowTo = ({ channel, topic }: ActContext) => [
  ["channel", channel.name],
  ["topic", topic],
];
/** Parameters that fetch the newest hundred messages. */
export const newest100 = { anchor: "newest", num_before: 100, num_after: 0 };
/** This time tomorrow, in UNIX seconds. */
export const tomorrow = () => Math.floor(Date.now() / 1000) + 86_400;
