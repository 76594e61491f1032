import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteTableCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  ListTablesCommand,
} from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Engine, startEngine } from "../../../infra/local/engine.ts";
import { provisionTable } from "../../../infra/local/provision.ts";
import { addressesOf, descendantsOf } from "../../support/hosts/processes.ts";

const credentials = { accessKeyId: "local", secretAccessKey: "test secret" };
const onDeath = vi.fn();
let dataFolder: string;
let engine: Engine;

beforeAll(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), "skein-engine-"));
  engine = await startEngine(dataFolder, credentials, onDeath);
});

afterAll(async () => {
  await engine?.stop();
  rmSync(dataFolder, { recursive: true, force: true });
});

const clientWith = (secretAccessKey: string, options: DynamoDBClientConfig = {}, { url } = engine) =>
  new DynamoDBClient({
    endpoint: url,
    region: "us-east-1",
    credentials: { ...credentials, secretAccessKey },
    maxAttempts: 1,
    ...options,
  });

const listTables = async (secretAccessKey: string, headers: Record<string, string> = {}) => {
  const client = clientWith(secretAccessKey);
  client.middlewareStack.add(
    (next) => (args) => {
      Object.assign((args.request as { headers: object }).headers, headers);
      return next(args);
    },
    { step: "build" },
  );
  try {
    return (await client.send(new ListTablesCommand({}))).TableNames;
  } catch (error) {
    return (error as Error).name;
  } finally {
    client.destroy();
  }
};

/** The engine itself does not verify signatures: it accepts this request, which the process in front of it must refuse. */
const forgedHeaders = {
  "content-type": "application/x-amz-json-1.0",
  "x-amz-target": "DynamoDB_20120810.ListTables",
  "x-amz-date": "20260101T000000Z",
  authorization:
    "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=00",
};

const fetchUrl = (url: string, headers: Record<string, string>, method = "POST") =>
  fetch(url, { method, headers, ...(method === "POST" && { body: "{}" }) });

test("the engine accepts requests signed with the secret of this start", async () => {
  expect(await listTables(credentials.secretAccessKey)).toEqual([]);
});

test("a request without a signature, or with one by another secret, is refused", async () => {
  const unsigned = await fetchUrl(engine.url, { "x-amz-target": "DynamoDB_20120810.ListTables" });

  expect(unsigned.status).toBe(400);
  expect(await unsigned.text()).toContain("MissingAuthenticationToken");
  expect((await fetchUrl(engine.url, forgedHeaders)).status).toBe(403);
  expect(await listTables("local-secret")).toBe("InvalidSignatureException");
});

test("a web page is refused even with a signature, and CORS preflights fail", async () => {
  const origin = "https://page.example";
  const preflight = await fetchUrl(
    engine.url,
    { origin, "access-control-request-method": "POST", "access-control-request-headers": "x-amz-target" },
    "OPTIONS",
  );

  expect(preflight.status).toBe(403);
  expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
  expect(await listTables(credentials.secretAccessKey, { origin })).toBe("AccessDeniedException");
});

test("no port that a web page could find accepts unsigned requests", async () => {
  const pids = [process.pid, ...descendantsOf(process.pid).map(({ pid }) => pid)];
  const addresses = addressesOf(pids).filter((address) => address.startsWith("127.0.0.1:"));

  expect(addresses).toContain(new URL(engine.url).host);
  for (const address of addresses) {
    const answer = await fetchUrl(`http://${address}`, forgedHeaders).then(
      (reply) => reply.text(),
      () => "",
    );
    expect(answer, address).not.toContain("TableNames");
  }
});

test("the process that started the engine calls it over connections of its own, more at once than it opens", async () => {
  const client = clientWith("a secret that nobody verifies", engine.clientOptions);
  const calls = Array.from({ length: 120 }, () => client.send(new ListTablesCommand({})));

  expect((await Promise.all(calls)).map(({ TableNames }) => TableNames)).toEqual(calls.map(() => []));
});

test("large requests and replies arrive whole over such a connection", async () => {
  const client = clientWith("any", engine.clientOptions);
  await provisionTable(client, "large");
  const keys = Array.from({ length: 25 }, (_, n) => ({ pk: { S: "P" }, sk: { S: String(n) } }));
  const items = keys.map((key) => ({ ...key, text: { S: "x".repeat(35_000) } }));
  await client.send(
    new BatchWriteItemCommand({ RequestItems: { large: items.map((Item) => ({ PutRequest: { Item } })) } }),
  );

  const { Responses } = await client.send(new BatchGetItemCommand({ RequestItems: { large: { Keys: keys } } }));

  expect(Responses?.large?.map(({ text }) => text?.S?.length)).toEqual(keys.map(() => 35_000));
  await client.send(new DeleteTableCommand({ TableName: "large" }));
});

test("where no network namespace can be created, the engine still works, with the same check of signatures", async () => {
  const otherFolder = mkdtempSync(join(tmpdir(), "skein-engine-"));
  vi.stubEnv("PATH", "");
  const other = await startEngine(otherFolder, credentials, onDeath).finally(() => vi.unstubAllEnvs());

  const own = clientWith("any", other.clientOptions, other);
  expect((await own.send(new ListTablesCommand({}))).TableNames).toEqual([]);
  const signed = clientWith(credentials.secretAccessKey, {}, other);
  expect((await signed.send(new ListTablesCommand({}))).TableNames).toEqual([]);
  expect((await fetchUrl(other.url, forgedHeaders)).status).toBe(403);

  await other.stop();
  await expect(own.send(new ListTablesCommand({}))).rejects.toThrow();
  rmSync(otherFolder, { recursive: true, force: true });
});

test("the host is notified when the engine dies", async () => {
  const otherFolder = mkdtempSync(join(tmpdir(), "skein-engine-"));
  const died = new Promise<void>((resolve) => void startEngine(otherFolder, credentials, resolve).then(killEngine));
  function killEngine() {
    const engines = descendantsOf(process.pid).filter(({ command }) => command.includes(join(otherFolder, "table.db")));
    const { pid } = engines.find(({ command }) => !command.startsWith("/bin/sh")) ?? {};
    process.kill(pid as number, "SIGKILL");
  }

  await died;

  expect(onDeath).not.toHaveBeenCalled();
  rmSync(otherFolder, { recursive: true, force: true });
});
