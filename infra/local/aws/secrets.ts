import { randomBytes, randomUUID } from "node:crypto";
import type { Database, Row } from "./database.ts";
import {
  AwsError,
  type AwsService,
  account,
  jsonError,
  jsonReply,
  type Operation,
  operationOf,
  readJson,
} from "./protocol.ts";

const schema = `
  CREATE TABLE IF NOT EXISTS secrets (
    name TEXT PRIMARY KEY, arn TEXT NOT NULL UNIQUE, description TEXT, created_at INTEGER NOT NULL, changed_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS secret_versions (
    name TEXT NOT NULL REFERENCES secrets ON DELETE CASCADE, id TEXT NOT NULL, stage TEXT, string TEXT, binary TEXT,
    created_at INTEGER NOT NULL, PRIMARY KEY (name, id)
  ) STRICT;`;

const notFound = () => new AwsError("ResourceNotFoundException", "Secrets Manager can't find the specified secret.");

/** Secrets on disk. */
export class SecretStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    database.define(schema);
  }

  /** By name or ARN. */
  find(nameOrArn: string): Row | undefined {
    return this.#database.find("SELECT * FROM secrets WHERE name = ?1 OR arn = ?1", nameOrArn);
  }

  findValue(name: string): Row | undefined {
    return this.#database.find("SELECT * FROM secret_versions WHERE name = ? AND stage = 'AWSCURRENT'", name);
  }

  create(
    { name, region, value }: { name: string; region: string; value: string | null },
    { description = null, versionId = randomUUID() }: { description?: string | null; versionId?: string } = {},
  ): { arn: string; versionId: string } {
    const arn = `arn:aws:secretsmanager:${region}:${account}:secret:${name}-${randomBytes(3).toString("hex")}`;
    const now = Date.now();
    this.#database.transaction(() => {
      this.#database.run("INSERT INTO secrets VALUES (?, ?, ?, ?, ?)", name, arn, description, now, now);
      this.#database.run(
        "INSERT INTO secret_versions VALUES (?, ?, 'AWSCURRENT', ?, NULL, ?)",
        ...[name, versionId, value, now],
      );
    });
    return { arn, versionId };
  }
}

/** Secrets Manager: AWS JSON 1.1. A secret has one value, which is text. */
export function secretsEmulator(store: SecretStore): AwsService {
  const operations = secretOperations(store);
  return {
    answer: async (request) => {
      const operation = operations[operationOf(request)];
      if (!operation) throw new AwsError("UnknownOperationException", `This emulator has no ${operationOf(request)}`);
      return jsonReply(operation(await readJson(request), request), 200, "application/x-amz-json-1.1");
    },
    formatError: (error) => jsonError(error),
  };
}

function secretOperations(store: SecretStore): Record<string, Operation> {
  const get = ({ SecretId }: Row): Row => {
    const row = store.find(String(SecretId));
    if (!row) throw notFound();
    return row;
  };
  return {
    CreateSecret: (input, { region }) => {
      const { Name: name, Description: description, SecretString: value = null, ClientRequestToken: versionId } = input;
      if (typeof name !== "string" || !/^[\w/+=.@-]{1,512}$/.test(name)) {
        throw new AwsError(
          "ValidationException",
          "Invalid name. Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!",
        );
      }
      if (store.find(name)) {
        throw new AwsError(
          "ResourceExistsException",
          `The operation failed because the secret ${name} already exists.`,
        );
      }
      const created = store.create({ name, region, value }, { description, versionId });
      return { ARN: created.arn, Name: name, VersionId: created.versionId };
    },
    GetSecretValue: (input) => {
      const secret = get(input);
      const version = store.findValue(secret.name);
      if (!version) throw notFound();
      return {
        ARN: secret.arn,
        Name: secret.name,
        VersionId: version.id,
        VersionStages: [version.stage],
        CreatedDate: version.created_at / 1000,
        SecretString: version.string,
      };
    },
    DescribeSecret: (input) => {
      const { name, arn, description, created_at, changed_at } = get(input);
      return {
        ARN: arn,
        Name: name,
        ...(description !== null && { Description: description }),
        CreatedDate: created_at / 1000,
        LastChangedDate: changed_at / 1000,
      };
    },
  };
}
