import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { changeEveryKind, makeEveryKind, removeEveryKind } from "../../support/contract/every-kind.ts";
import { exposeHost } from "../../support/hosts/expose-host.ts";
import { hasTmux, openTerminal } from "../../support/hosts/terminal.ts";
import { environmentOf } from "../../support/outside/python.ts";
import { aPerson, isLocal, type Person } from "../../support/world.ts";

/** Runs Zulip Terminal, whose own code decodes what it receives, in an organization with every kind of data. */

const canRun = isLocal() && hasTmux();
let folder: string;
let host: { url: string; close(): void };
let program: string[];
let prospero: Person;
let miranda: Person;
let made: Awaited<ReturnType<typeof makeEveryKind>>;

beforeAll(async () => {
  if (!canRun) return;
  folder = mkdtempSync(join(tmpdir(), "skein-terminal-"));
  host = await exposeHost();
  const environment = await environmentOf(join(import.meta.dirname, "../zulip-term.requirements.txt"));
  prospero = await aPerson("Prospero", { role: "owner" });
  miranda = await aPerson("Miranda", { role: "administrator" });
  made = await makeEveryKind(prospero, miranda);
  // Before the program starts: it fails by itself at a message in a channel to which one has subscribed since then.
  await changeEveryKind(prospero, miranda, made);
  const { email, apiKey } = prospero;
  writeFileSync(join(folder, "zuliprc"), `[api]\nemail=${email}\nkey=${apiKey}\nsite=${host.url}\n`, { mode: 0o600 });
  program = ["python", "zulip-term"].map((name) => join(environment, "bin", name));
}, 600_000);

afterAll(async () => {
  if (!canRun) return;
  await removeEveryKind(prospero, made);
  host.close();
  rmSync(folder, { recursive: true, force: true });
});

test.skipIf(!canRun)(
  "the terminal shows the messages, and the profile of a person who has filled in every field",
  async () => {
    const terminal = await openTerminal([...program, "--config-file", join(folder, "zuliprc")], folder);
    try {
      await terminal.shows("Miranda M sails");
      await miranda.do("POST", "/messages", { type: "direct", to: [prospero.id], content: "O brave new world" });
      await terminal.until("O brave new world", () => terminal.press("P"));

      await terminal.press("w");
      await terminal.type("Miranda");
      await terminal.press("Enter");
      const profile = await terminal.until("User Information", () => terminal.press("i"));

      for (const value of ["Miranda M", "Asia/Tokyo", "Administrator"]) expect(profile).toContain(value);
      expect(existsSync(join(folder, "zulip-terminal-thread-exceptions.log"))).toBe(false);
    } finally {
      terminal.close();
    }
  },
  300_000,
);
