import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { webEndpoints } from "../../infra/build/web-endpoints.ts";
import { loadFleet } from "../../infra/fleet.ts";

/** Checks that the page does not compile when the server's declarations no longer have what it uses. */

const root = resolve(import.meta.dirname, "../..");
const compiler = join(root, "node_modules/typescript-native/bin/tsc");
let copy: string;

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), "skein-web-types-"));
  for (const name of [
    "functions",
    "shared",
    "web",
    "infra/reference/event-schemas.ts",
    "tsconfig.json",
    "package.json",
  ])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  writeFileSync(join(copy, "web/base/api/endpoints.ts"), webEndpoints(await loadFleet()));
});

afterAll(() => rmSync(copy, { recursive: true }));

/** The files of the page that do not compile. */
function brokenPageFiles(): string[] {
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", "web", "--pretty", "false"], {
    cwd: copy,
    encoding: "utf8",
  });
  return [...new Set([...stdout.matchAll(/^(web\/[^(]+)\(/gm)].map(([, file = ""]) => file))].sort();
}

/** A field of a declaration, and a file of the page that uses it. */
const fields = [
  { declaration: "functions/messages/send-message.ts", field: "local_id:", user: "web/session/unsent/delivery.ts" },
  {
    declaration: "functions/invites/create-invite-link.ts",
    field: "invite_link:",
    user: "web/views/people/invite.tsx",
  },
  { declaration: "shared/features/drafts/drafts.ts", field: "content:", user: "web/state/model.ts" },
  {
    declaration: "shared/base/schema/user-settings.ts",
    field: "enter_sends:",
    user: "web/views/settings/preferences.tsx",
  },
  { declaration: "shared/features/events/state-shape.ts", field: "starred_messages:", user: "web/state/snapshot.ts" },
  {
    declaration: "shared/features/saved-snippets/event-types.ts",
    field: "saved_snippet_id:",
    user: "web/state/events/own-events.ts",
  },
];

test("the page does not compile when parameters, fields of replies, registrations and events, or settings are renamed", () => {
  // `npm run check` compiles the page with the declarations as they are.
  for (const { declaration, field } of fields) {
    const file = join(copy, declaration);
    const text = readFileSync(file, "utf8");
    expect(text).toContain(field);
    writeFileSync(file, text.replaceAll(field, `renamed_${field}`));
  }

  expect(brokenPageFiles()).toEqual(expect.arrayContaining(fields.map(({ user }) => user)));
});
