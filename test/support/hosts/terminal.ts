import { execFile, execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

/** A program in a tmux terminal: sends keys and reads the screen. */
export interface Terminal {
  /** Presses keys by their names in tmux: "Enter", "C-d", "a". */
  press(...keys: string[]): Promise<void>;
  type(text: string): Promise<void>;
  screen(): Promise<string>;
  /** Waits until the screen contains a text or matches a pattern; returns the screen. */
  shows(expected: string | RegExp, seconds?: number): Promise<string>;
  /** Repeats `act` until the screen matches, because the program may not accept keys yet. */
  until(expected: string | RegExp, act: () => Promise<void>): Promise<string>;
  close(): void;
}

/** .ci/run installs tmux; on machines without it the cases that need it are skipped. */
export function hasTmux(): boolean {
  try {
    execFileSync("tmux", ["-V"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export async function openTerminal(command: string[], folder: string): Promise<Terminal> {
  // A separate tmux server, so that other sessions are not affected.
  const socket = `skein-${randomBytes(6).toString("hex")}`;
  const env = { ...process.env, LC_ALL: "C.UTF-8", TERM: "xterm-256color" };
  const tmux = async (...args: string[]) =>
    (await promisify(execFile)("tmux", ["-L", socket, "-f", "/dev/null", ...args], { env })).stdout;
  await tmux(
    "new-session",
    "-d",
    "-x",
    "150",
    "-y",
    "45",
    "-c",
    folder,
    ...command,
    ";",
    "set",
    "remain-on-exit",
    "on",
  );
  const terminal: Terminal = {
    press: async (...keys) => {
      await tmux("send-keys", ...keys);
    },
    type: async (text) => {
      await tmux("send-keys", "-l", text);
    },
    screen: () => tmux("capture-pane", "-p"),
    async shows(expected, seconds = 60) {
      let screen = "";
      for (const end = Date.now() + seconds * 1000; Date.now() < end; await pause(200)) {
        screen = await terminal.screen();
        if (typeof expected === "string" ? screen.includes(expected) : expected.test(screen)) return screen;
      }
      throw new Error(`The terminal does not show ${expected}, but:\n${screen}`);
    },
    async until(expected, act) {
      for (let attempt = 1; ; attempt++) {
        await act();
        try {
          return await terminal.shows(expected, 10);
        } catch (error) {
          if (attempt === 5) throw error;
        }
      }
    },
    close() {
      execFileSync("tmux", ["-L", socket, "kill-server"], { stdio: "ignore" });
    },
  };
  return terminal;
}
