import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..", "..");

/** The resource that the older fleet lacks, its path, and the endpoint that only the older fleet has. */
const missingResource = "drafts";
export const addedPath = "/drafts";
export const removedPath = "/former_thing";

/** Tests that only apply to the current fleet: of the missing resource, and of documents that list all endpoints or events. */
export const currentFleetTests = [
  `test/${missingResource}/**`,
  "test/events/every-event.test.ts",
  "test/reference/get-openapi.test.ts",
];

const formerEndpoint = `
import { endpoint } from "../../shared/services/http/endpoint.ts";
export const handler = endpoint(
  { method: "GET", path: "${removedPath}", summary: "-", caller: "user", params: {}, returns: {}, uses: {} },
  async () => {},
);
`;

/** Folders and files below `functions/` as the older fleet has them: an upgrade moves and renames them. */
const formerPlaces = {
  reactions: "former-reactions",
  "messages/send-message.ts": "server/post-message.ts",
  "jobs/deliver-due.ts": "server/deliver.ts",
  "users/get-own-user.ts": "users/read-me.ts",
};

/**
 * Creates a repository like an older version of this one: one resource is missing, there is one other endpoint, and some functions
 * are elsewhere. Returns its root.
 */
export function olderFleet(): string {
  const folder = join(root, ".cache", "deployed", "older");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, "functions"), join(folder, "functions"), {
    recursive: true,
    filter: (path) => basename(path) !== missingResource,
  });
  for (const [place, former] of Object.entries(formerPlaces))
    renameSync(join(folder, "functions", place), join(folder, "functions", former));
  // The only function that imports others.
  const importer = join(folder, "functions", "agents", "call-mcp.ts");
  const imports = Object.entries(formerPlaces).reduce(
    (text, [place, former]) => text.replaceAll(`"../${place}`, `"../${former}`),
    readFileSync(importer, "utf8"),
  );
  writeFileSync(importer, imports);
  writeFileSync(join(folder, "functions", "server", "get-former-thing.ts"), formerEndpoint);
  for (const entry of ["shared", "node_modules", "package.json"]) symlinkSync(join(root, entry), join(folder, entry));
  return folder;
}

/** The few functions that are needed to choose a password, to log in, which may send mails and notifications, to read, and for the smoke test. */
const fewFunctions = [
  "joining/choose-new-password.ts",
  "messages/get-messages.ts",
  "users/fetch-api-key.ts",
  "users/get-own-user.ts",
  "server/get-server-settings.ts",
  "mail/send-mails.ts",
  "jobs/send-outgoing.ts",
  "server/unknown-route.ts",
];

/** Creates the repository of a small fleet that deploys quickly as the stack `name`. Returns its root. */
export function smallFleet(name: string): string {
  const folder = join(root, ".cache", "deployed", name, "small");
  rmSync(folder, { recursive: true, force: true });
  for (const file of fewFunctions)
    cpSync(join(root, "functions", file), join(folder, "functions", file), { recursive: true });
  for (const entry of ["shared", "node_modules", "package.json"]) symlinkSync(join(root, entry), join(folder, entry));
  return folder;
}
