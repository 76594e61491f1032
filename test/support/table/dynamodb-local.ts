import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { DeleteTableCommand, DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { provisionTable } from "../../../infra/local/sqlite/outside-table.ts";
import { connect, type TableConnection } from "../../../shared/base/table-port/dynamodb/table.ts";
import { freePort } from "../hosts/free-port.ts";

/** AWS's own emulation of DynamoDB, a Java program that Maven downloads once into .cache. */

const version = "2.6.1";
const plugin = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";
const folder = resolve(`.cache/dynamodb-local-${version}`);
const startDeadlineMs = 120_000;

const project = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>skein</groupId><artifactId>dynamodb-local</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>com.amazonaws</groupId><artifactId>DynamoDBLocal</artifactId><version>${version}</version>
  </dependency></dependencies>
</project>`;

function download(): void {
  if (existsSync(join(folder, "complete"))) return;
  const work = mkdtempSync(join(tmpdir(), "skein-maven-"));
  try {
    writeFileSync(join(work, "pom.xml"), project);
    mkdirSync(folder, { recursive: true });
    const { status } = spawnSync("mvn", ["-q", "-B", "-f", work, plugin, `-DoutputDirectory=${folder}`], {
      stdio: ["ignore", 2, 2],
    });
    if (status !== 0) throw new Error(`Maven could not download DynamoDB Local ${version}`);
    writeFileSync(join(folder, "complete"), "");
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** Starts it, in memory, without a table. Each access key has tables of its own, which share neither locks nor tokens. */
export async function startDynamoDbLocal(): Promise<{
  endpoint: string;
  openTable(name: string, accessKeyId: string): Promise<TableConnection & { delete(): Promise<void> }>;
  stop(): Promise<void>;
}> {
  download();
  const port = await freePort();
  const child = spawn(
    "java",
    [
      ...[`-Djava.library.path=${folder}`, "-XX:+UseSerialGC", "-cp", `${folder}/*`],
      ...["com.amazonaws.services.dynamodbv2.local.main.ServerRunner", "-inMemory", "-port", String(port)],
    ],
    { stdio: "ignore", env: { ...process.env, DDB_LOCAL_TELEMETRY: "0" } },
  );
  const endpoint = `http://127.0.0.1:${port}`;
  const optionsFor = (accessKeyId: string) => ({
    ...{ endpoint, region: "us-east-1", credentials: { accessKeyId, secretAccessKey: "local" } },
  });
  await untilReady(new DynamoDBClient(optionsFor("local")), child);
  return {
    endpoint,
    openTable: async (name, accessKeyId) => {
      const client = connect(optionsFor(accessKeyId));
      await provisionTable(client, name);
      return {
        ...{ client, nameOf: () => name },
        delete: async () => {
          await client.send(new DeleteTableCommand({ TableName: name }));
          client.destroy();
        },
      };
    },
    stop: async () => {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}

async function untilReady(client: DynamoDBClient, child: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + startDeadlineMs; ; await pause(200)) {
    try {
      await client.send(new ListTablesCommand({}));
      return;
    } catch (error) {
      if (child.exitCode !== null || Date.now() > deadline) throw error;
    }
  }
}
