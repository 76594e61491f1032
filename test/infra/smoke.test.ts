import { execFile } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { summaryOf } from "../../shared/features/smoke/report.ts";
import { type Finding, smokeTest } from "../../shared/features/smoke/smoke-test.ts";
import { exposeHost } from "../support/hosts/expose-host.ts";
import { bareEnvironment } from "../support/hosts/processes.ts";
import { type HostWithWakeUpQueues, owner, startHostWithWakeUpQueues } from "../support/hosts/wake-up-queues.ts";
import { withProcessTable } from "../support/table/process-table.ts";
import { tableOf } from "../support/table/seed-table.ts";
import { aPerson, isLocal } from "../support/world.ts";

const outcomes = (findings: readonly Finding[]) =>
  Object.fromEntries(findings.map(({ check, outcome }) => [check, outcome === "slow" ? "ok" : outcome]));

const resultsWithoutAccount = { "first answer": "ok", settings: "ok", "an unknown route": "ok", "a wrong key": "ok" };
const resultsWithAccount = {
  ...resultsWithoutAccount,
  ...{ "the account": "ok", register: "ok", send: "ok", receive: "ok", connection: "ok", upload: "ok", schedule: "ok" },
};

/** Runs `npm run smoke` in a separate process; resolves to its output and status. */
const smoke = (args: readonly string[], env: Record<string, string>) => runNode(["infra/smoke.ts", ...args], env);

/** Runs the function that tests the fleet at `url` every five minutes, with the permissions that it declares. */
const scheduledSmoke = (url: string, env: Record<string, string>) =>
  runNode(["--input-type=module-typescript", "--eval", scheduledRun], { ...env, SKEIN_URL: url });

const scheduledRun = `
  import { handler } from "./functions/smoke/test-fleet.ts";
  import { guardCalls, runGuarded } from "./infra/local/guard.ts";
  guardCalls();
  await runGuarded("test-fleet", handler.spec.uses, () => handler({ id: "run-1" }));
`;

async function runNode(args: readonly string[], env: Record<string, string>) {
  const minimalEnv = { ...bareEnvironment, SKEIN_DEPLOYMENT: "/nowhere/deployment.json" };
  const run = promisify(execFile)(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", ...withProcessTable, ...args],
    {
      env: { ...minimalEnv, ...env },
    },
  );
  return run.then(
    ({ stdout }) => ({ status: 0, output: stdout }),
    ({ code, stdout, stderr }) => ({ status: code as number, output: `${stdout}${stderr}` }),
  );
}

test("the last line says how many checks passed only slowly, or were skipped", () => {
  const found = (...outcomes: Finding["outcome"][]) =>
    summaryOf(outcomes.map((outcome) => ({ check: "c", outcome, ms: 1, detail: "" })));

  expect(found("ok", "ok")).toBe("All 2 checks passed.");
  expect(found("ok", "slow", "skipped", "slow")).toBe("2 passed, but slowly, 1 skipped, 1 passed.");
  expect(found("ok", "failed")).toBe("1 failed, 1 passed.");
});

test("a fleet with waiting=held passes, and its missing wake-up route is no failure", {
  timeout: 240_000,
}, async () => {
  const { url, close } = await exposeHost();
  const { email, apiKey } = await aPerson("Smoker");

  const findings = await smokeTest({
    url,
    account: { email, apiKey },
    scheduled: { aheadSeconds: 3, graceSeconds: 150 },
  });

  expect(outcomes(findings)).toEqual({ ...resultsWithAccount, "wake-up route": "skipped" });
  for (const { check, ms } of findings) if (check !== "wake-up route") expect(ms, check).toBeGreaterThanOrEqual(0);
  close();
});

test("without an account it tries public endpoints, and reports what it skipped", async () => {
  const { url, close } = await exposeHost();

  const findings = await smokeTest({ url });

  expect(outcomes(findings)).toEqual({ ...resultsWithoutAccount, "wake-up route": "skipped", "an account": "skipped" });
  close();
});

describe.skipIf(!isLocal())("in a fleet whose wake-up route is not proved to work", () => {
  let host: HostWithWakeUpQueues;
  beforeAll(async () => {
    host = await startHostWithWakeUpQueues();
    // The local host trusts its own route; a deployed fleet begins without this mark.
    await removeMark();
  });
  afterAll(() => host?.stop());

  async function removeMark(): Promise<void> {
    await tableOf(host).delete({ key: { pk: "FLEET", sk: "WAKEUPROUTE" } });
  }

  test("clients wait in functions for at most ten seconds until the wake-up route is proved", {
    timeout: 300_000,
  }, async () => {
    const queueId = await host.register();
    const startedAt = Date.now();
    const heartbeat = await host.fetchOnce(host.eventsUrl(queueId));
    expect(heartbeat).toMatchObject({ status: 200, body: { events: [{ type: "heartbeat" }] } });
    expect(Date.now() - startedAt).toBeGreaterThan(9_000);
    // With the usual waiting time a function would take 24 s.
    expect(Date.now() - startedAt).toBeLessThan(20_000);

    const { api_key: SKEIN_API_KEY } = await host.as(undefined, "POST", "/dev_fetch_api_key", { username: owner });
    const byStranger = await smoke(["--url", host.url, "--email", owner], { SKEIN_API_KEY });
    expect(byStranger).toMatchObject({ status: 0, output: expect.stringContaining("this result was not recorded") });
    expect((await host.fetchOnce(host.eventsUrl(await host.register()))).status).toBe(200);

    const byOperator = await smoke(["--url", host.url], host.environment);
    expect(byOperator).toMatchObject({ status: 0, output: expect.stringContaining("clients use it from now on") });
    // A process may take half a minute to notice the mark.
    await expect
      .poll(async () => (await host.fetchOnce(host.eventsUrl(await host.register()))).status, { timeout: 90_000 })
      .toBe(307);
    await removeMark();
    expect(await scheduledSmoke(host.url, host.environment)).toMatchObject({ status: 0 });
    const repeatedRun = await smoke(["--url", host.url], host.environment);
    expect(repeatedRun.output).toMatch(
      /ok\s+wake-up route\s+\d+ ms\s+redirected \d+ ms after the notification; it was already known/,
    );
  });
});

/** A server that answers each path as `answers` says, and any other path like an API Gateway without routes. */
async function aServer(answers: Record<string, { status: number; location?: string; body?: string }>): Promise<Server> {
  const server = createServer((request, response) => {
    const name = (request.url ?? "").split("/").at(-1)?.split("?")[0] ?? "";
    const { status, location, body = '{"message":"Not Found"}' } = answers[name] ?? { status: 404 };
    response.writeHead(status, { "content-type": "application/json", ...(location && { location }) });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

test("against another server every check fails, with advice", async () => {
  const server = await aServer({});

  const { status, output } = await smoke(["--url", urlOf(server)], {});
  const scheduled = await scheduledSmoke(urlOf(server), {});

  expect(scheduled).toMatchObject({ status: 1, output: expect.stringContaining("first answer: answered 404") });
  expect(status).toBe(1);
  expect(output).toMatch(/FAILED\s+first answer\s+answered 404/);
  expect(output).toContain("→ is http://127.0.0.1");
  expect(output).toMatch(/FAILED\s+a wrong key/);
  server.close();
});

test("a fleet without an organization passes, with the advice to create one", async () => {
  const refusal = (code: string) => JSON.stringify({ result: "error", msg: "", code });
  const server = await aServer({
    server_settings: { status: 404, body: refusal("NONEXISTENT_SUBDOMAIN") },
    unknown: { status: 404, body: refusal("NOT_FOUND") },
    me: { status: 401, body: refusal("UNAUTHORIZED") },
  });

  const { status, output } = await smoke(["--url", urlOf(server)], {});

  expect(status).toBe(0);
  expect(output).toContain("the fleet answers; it has no organization yet");
  expect(output).toContain("→ npm run create-org -- --file org.json");
  server.close();
});

test("an API at a subdomain of localhost is reached even where that name does not resolve", async () => {
  const server = await aServer({});
  const hosts: (string | undefined)[] = [];
  server.on("request", ({ headers }) => hosts.push(headers.host));
  const { port } = server.address() as AddressInfo;

  await smokeTest({ url: `http://abc123.execute-api.localhost:${port}` });

  expect(new Set(hosts)).toEqual(new Set([`abc123.execute-api.localhost:${port}`]));
  server.close();
});

test("a broken wake-up route fails, is not marked as proved, and the advice names the setting", async () => {
  const broken = {
    "a reply of SQS that was not turned into a redirect": { "wait-1": { status: 200, body: "{}" } },
    "redirects that do not wait": Object.fromEntries(
      ["wait-1", "wait-2", "wait-3", "look"].map((name, index, names) => [
        name,
        { status: 307, location: names[index + 1] ?? "" },
      ]),
    ),
    "a failure of SQS": { "wait-1": { status: 307, location: "look?held=true" } },
  };
  for (const [kind, answers] of Object.entries(broken)) {
    const server = await aServer(answers);
    let proved = false;
    const findings = await smokeTest({
      url: urlOf(server),
      operator: {
        makeWakeUpQueue: async () => ({ queueId: "q", notify: async () => {}, remove: async () => {} }),
        markProved: async () => {
          proved = true;
        },
        isProved: async () => proved,
      },
    });

    const finding = findings.find(({ check }) => check === "wake-up route");
    expect(finding, kind).toMatchObject({ outcome: "failed", advice: expect.stringContaining("waiting=held") });
    expect(proved, kind).toBe(false);
    server.close();
  }
});

test("a missing key, or an unknown fleet, is reported in one line", async () => {
  expect((await smoke(["--email", "ada@loom.test"], {})).output).toBe("Set SKEIN_API_KEY to the account's API key.\n");
  expect((await smoke([], {})).output).toMatch(/^Name the fleet: npm run smoke -- --url/);
});
