import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { scimToken } from "../support/outside/identity-provider-servers.ts";
import { environmentWith } from "../support/outside/python.ts";
import { token, unique } from "../support/unique.ts";
import { isLocal } from "../support/world.ts";

/**
 * Runs Schemathesis, which generates requests from the OpenAPI document and checks the replies against it: no 500, no
 * undocumented status, no reply that violates its schema. It calls as users of several roles, on a host of its own, because it
 * changes whatever it can.
 */

const owner = "owner@globe.test";
const member = "viola@globe.test";
const guest = "guest@globe.test";
const guestRole = 600;
const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
];
let host: PrivateHost;
let folder: string;

beforeAll(async () => {
  if (!isLocal()) return;
  folder = mkdtempSync(join(tmpdir(), "skein-contract-"));
  // With a token, the SCIM endpoints exist, and refuse these callers.
  host = await aPrivateHost({ SKEIN_SCIM_TOKEN: scimToken });
  const account = { email: guest, password: "to-thine-own-self-be-true", full_name: "Guest" };
  const { user_id } = await host.as(owner, "POST", "/users", account);
  await host.do(owner, "PATCH", `/users/${user_id}`, { role: guestRole });
}, 60_000);

afterAll(async () => {
  await host?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** Creates an object of each kind; returns the IDs of existing objects by the names of the parameters that take them. */
async function createObjects(): Promise<Record<string, unknown[]>> {
  const callAsOwner = (method: string, path: string, params: Record<string, unknown> = {}) =>
    host.as(owner, method, path, params);
  const send = (content: string) =>
    callAsOwner("POST", "/messages", { type: "channel", to: "stage", topic: "plays", content });
  const messages = [await send("To be"), await send("or not to be")].map(({ id }) => id);
  const { members } = await callAsOwner("GET", "/users");
  const users = members.filter(({ email }: any) => email !== owner).map(({ user_id }: any) => user_id);
  const { streams } = await callAsOwner("GET", "/streams");
  const channels = streams.map(({ stream_id }: any) => stream_id);
  const scheduledMessage = {
    type: "direct",
    to: [users[0]],
    content: "-",
    scheduled_delivery_timestamp: 4_000_000_000,
  };
  const group = await callAsOwner("POST", "/user_groups/create", {
    name: unique("players"),
    description: "",
    members: users,
  });
  const createdIds = {
    scheduled_message_id: (await callAsOwner("POST", "/scheduled_messages", scheduledMessage)).scheduled_message_id,
    saved_snippet_id: (await callAsOwner("POST", "/saved_snippets", { title: "-", content: "-" })).saved_snippet_id,
    channel_folder_id: (await callAsOwner("POST", "/channel_folders/create", { name: unique("folder") }))
      .channel_folder_id,
    filter_id: (
      await callAsOwner("POST", "/realm/filters", {
        pattern: `${token()}-(?P<id>[0-9]+)`,
        url_template: "https://x.test/{id}",
      })
    ).id,
    field_id: (await callAsOwner("POST", "/realm/profile_fields", { name: unique("field"), field_type: 1 })).id,
    bot_id: (await callAsOwner("POST", "/bots", { full_name: unique("Puck"), short_name: `puck-${token()}` })).user_id,
    user_group_id: group.group_id,
    draft_id: (
      await callAsOwner("POST", "/drafts", { drafts: [{ type: "private", to: [users[0]], topic: "", content: "-" }] })
    ).ids?.[0],
  };
  const queue = await callAsOwner("POST", "/register", { event_types: ["message"] });
  return {
    ...Object.fromEntries(Object.entries(createdIds).map(([name, id]) => [name, [id]])),
    message_id: messages,
    stream_id: channels,
    user_id: users,
    muted_user_id: users,
    user_id_or_email: [...users, "viola@globe.test"],
    stream: ["stage"],
    topic: ["plays"],
    topic_name: ["plays"],
    emoji_name: ["octopus", "globe_theatre"],
    anchor: ["newest", "oldest", "first_unread", String(messages[0])],
    username: [owner, "viola@globe.test"],
    queue_id: [queue.queue_id],
    file: ["reference.js", "reference.css"],
    dont_block: ["true"],
  };
}

/** Runs Schemathesis; returns its output and exit code. */
async function schemathesis(
  idsByParameter: Record<string, unknown[]>,
  caller: string | undefined,
  casesPerOperation: number,
): Promise<{ output: string; code: number | null }> {
  const environment = await environmentWith("schemathesis", "4.32.5");
  const program = "from schemathesis.cli import schemathesis; schemathesis()";
  const options = [
    ["--phases", "fuzzing"],
    ["--max-examples", String(casesPerOperation)],
    // After these, no further request would succeed.
    ["--exclude-path-regex", "/realm/deactivate$"],
    ["--exclude-name", "DELETE /api/v1/users/me"],
    ["--checks", checks.join(",")],
    // Two threads that parse at once make Python 3.11 fail (https://github.com/python/cpython/issues/106905).
    ["--workers", "1"],
    ["--suppress-health-check", "all"],
    ["--warnings", "off"],
    ["--request-timeout", "40"],
    ["--generation-with-security-parameters", "false"],
    ["--continue-on-failure", "--no-shrink", "--generation-deterministic", "--no-color"],
  ].flat();
  const document = `${host.url}/api/v1/openapi.json`;
  const child = spawn(join(environment, "bin/python"), ["-c", program, "run", document, ...options], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      PYTHONPATH: import.meta.dirname,
      PYTHONDONTWRITEBYTECODE: "1",
      SCHEMATHESIS_HOOKS: "contract",
      SKEIN_SITE: host.url,
      SKEIN_CALLER: caller ?? "",
      SKEIN_KNOWN: JSON.stringify(idsByParameter),
    },
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { output, code };
}

/** Makes requests as `caller`, checks every reply, and returns how many requests there were for each status. */
async function checkEveryReply(caller: string | undefined, casesPerOperation: number) {
  const idsByParameter = await createObjects();
  expect(Object.entries(idsByParameter).filter(([, values]) => values.includes(undefined))).toEqual([]);

  const { output, code } = await schemathesis(idsByParameter, caller, casesPerOperation);

  expect(code, output.slice(Math.max(0, output.search(/^=+ (ERRORS|FAILURES)/m))).slice(0, 12_000)).toBe(0);
  // Five may be missing: the document's own operation, the two excluded ones, and two for which Schemathesis may find no case
  // in time.
  expect(Number(/Tested: (\d+)/.exec(output)?.[1])).toBeGreaterThanOrEqual((await countOperations()) - 5);
  console.log(caller ?? "nobody", output.match(/.*\d generated.*|Answered: .*| in [\d.]+s/g)?.join("\n"));
  return JSON.parse(/Answered: (.*)/.exec(output)?.[1] ?? "{}");
}

async function countOperations(): Promise<number> {
  const { paths } = (await (await fetch(`${host.url}/api/v1/openapi.json`)).json()) as any;
  return Object.values<object>(paths).flatMap((path) => Object.keys(path)).length;
}

describe.skipIf(!isLocal())(
  "every reply is as documented (local host only: the organization is changed randomly)",
  () => {
    test("to a caller without credentials", async () => {
      const countsByStatus = await checkEveryReply(undefined, 2);
      expect(countsByStatus[401]).toBeGreaterThan(await countOperations());
    }, 600_000);

    test("to a guest", async () => {
      await checkEveryReply(guest, 2);
    }, 600_000);

    test("to a member", async () => {
      await checkEveryReply(member, 2);
    }, 600_000);

    test("to an owner", async () => {
      const countsByStatus = await checkEveryReply(owner, 8);
      // Refused requests test little, so most requests must succeed.
      expect(countsByStatus[200]).toBeGreaterThan(await countOperations());
    }, 600_000);
  },
);
