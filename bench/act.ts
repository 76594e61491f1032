import { readFileSync } from "node:fs";
import type { Asked } from "./invoke.ts";
import type { Actor } from "./stage.ts";

/** Where the acts happen, and what former ones returned, by their names. */
export interface Setting {
  owner: Actor;
  /** An ordinary member, subscribed to the large channel. */
  member: Actor;
  other: Actor;
  /** Somebody who changes their key and leaves. */
  leaver: Actor;
  channel: { id: number; name: string };
  topic: string;
  newest: number;
  /** How many people there are. */
  users: number;
  /** Makes names unique. */
  run: string;
  got: Record<string, any>;
}

export interface Act {
  /** What it says in the table, and `got` remembers the reply under. */
  name: string;
  /** Method and path; `{a.b}` stands for what the setting, or a former reply, holds there. */
  line: string;
  by?: "owner" | "nobody" | "other" | "leaver";
  /** What must be there, which is not counted. */
  prepare?: (setting: Setting) => Promise<void> | void;
  ask: (setting: Setting) => Asked;
}

export const act = (
  name: string,
  line: string,
  params: (setting: Setting) => Record<string, unknown> = () => ({}),
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

/** An act before which something must be done that is not counted. */
export const after = (prepare: NonNullable<Act["prepare"]>, prepared: Act): Act => ({ ...prepared, prepare });

const picture = readFileSync(new URL("../test/support/globe.png", import.meta.url));
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
export const narrowTo = ({ channel, topic }: Setting) => [
  ["channel", channel.name],
  ["topic", topic],
];
export const hundred = { anchor: "newest", num_before: 100, num_after: 0 };
export const later = () => Math.floor(Date.now() / 1000) + 86_400;
