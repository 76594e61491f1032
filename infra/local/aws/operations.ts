import type { Row } from "./database.ts";

/** What answers commands: each takes the command's input and returns its output. */
export type Operations = Record<string, (input: Row, disconnected?: AbortSignal) => unknown>;
