import { readFileSync } from "node:fs";
import type { Actor } from "../host/bench-host.ts";
import type { Asked } from "../host/invoke.ts";

/** What acts run with: people, a channel, and the replies of earlier acts by name. */
export interface ActContext {
  owner: Actor;
  /** An ordinary member, subscribed to the large channel. */
  member: Actor;
  other: Actor;
  /** A user who changes their API key and deactivates themselves. */
  leaver: Actor;
  channel: { id: number; name: string };
  topic: string;
  newest: number;
  /** The number of users. */
  users: number;
  /** A suffix that makes names unique. */
  run: string;
  got: Record<string, any>;
}

export interface Act {
  /** The name in the table, and the key of the reply in `got`. */
  name: string;
  /** Method and path; `{a.b}` is replaced by that value of the context or of an earlier reply. */
  line: string;
  by?: "owner" | "nobody" | "other" | "leaver";
  /** Runs before the act; not counted. */
  prepare?: (setting: ActContext) => Promise<void> | void;
  /** Whether the act runs immediately after the previous one, like a poll after the message that it returns. */
  followsAtOnce?: true;
  ask: (setting: ActContext) => Asked;
}

export const act = (
  name: string,
  line: string,
  params: (setting: ActContext) => Record<string, unknown> = () => ({}),
  by?: Act["by"],
): Act => {
  const [, method = "", path = ""] = /^(\S+) (.*)$/.exec(line) ?? [];
  return {
    name,
    line,
    ...(by && { by }),
    ask: (setting) => {
      const filled = path.replace(/\{([^}]+)\}/g, (_, hole: string) =>
        String(hole.split(".").reduce<any>((value, part) => value?.[part], { ...setting, ...setting.got })),
      );
      return { method, path: filled, params: params(setting) };
    },
  };
};

export const followingAtOnce = (following: Act): Act => ({ ...following, followsAtOnce: true });

/** An act with a preparation that is not counted. */
export const withPreparation = (prepare: NonNullable<Act["prepare"]>, prepared: Act): Act => ({ ...prepared, prepare });

const picture = readFileSync(new URL("../../test/support/globe.png", import.meta.url));
export const uploading = (
  name: string,
  line: string,
  file: Asked["file"],
  by?: Act["by"],
  params: Record<string, unknown> = {},
): Act => {
  const plain = act(name, line, () => params, by);
  return { ...plain, ask: (setting) => ({ ...plain.ask(setting), file }) };
};
export const png = { name: "globe.png", bytes: picture };
export const narrowTo = ({ channel, topic }: ActContext) => [
  ["channel", channel.name],
  ["topic", topic],
];
export const hundred = { anchor: "newest", num_before: 100, num_after: 0 };
export const later = () => Math.floor(Date.now() / 1000) + 86_400;
