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

/** Secrets Manager: AWS JSON 1.1. A deleted secret is gone at once, without a recovery window. */
export function secrets(database: Database): AwsService {
  database.define(schema);
  const operations = secretOperations(database);
  return {
    answer: async (request) => {
      const operation = operations[operationOf(request)];
      if (!operation) throw new AwsError("UnknownOperationException", `This emulator has no ${operationOf(request)}`);
      return jsonReply(operation(await readJson(request), request), 200, "application/x-amz-json-1.1");
    },
    explain: (error) => jsonError(error),
  };
}

function secretOperations(database: Database): Record<string, Operation> {
  const get = ({ SecretId }: Row): Row => {
    const row = database.find("SELECT * FROM secrets WHERE name = ?1 OR arn = ?1", String(SecretId));
    if (!row) throw notFound();
    return row;
  };
  const addVersion = ({ name }: Row, { ClientRequestToken, SecretString, SecretBinary }: Row): string => {
    const id = ClientRequestToken ?? randomUUID();
    // The token makes a retry of the same request the same version.
    if (database.find("SELECT 1 FROM secret_versions WHERE name = ? AND id = ?", name, id)) return id;
    database.run("UPDATE secret_versions SET stage = NULL WHERE name = ? AND stage = 'AWSPREVIOUS'", name);
    database.run("UPDATE secret_versions SET stage = 'AWSPREVIOUS' WHERE name = ? AND stage = 'AWSCURRENT'", name);
    database.run(
      "INSERT INTO secret_versions VALUES (?, ?, 'AWSCURRENT', ?, ?, ?)",
      ...[name, id, SecretString ?? null, SecretBinary ?? null, Date.now()],
    );
    database.run("UPDATE secrets SET changed_at = ? WHERE name = ?", Date.now(), name);
    return id;
  };
  return {
    CreateSecret: (input, { region }) =>
      database.transaction(() => {
        const { Name: name, Description = null } = input;
        if (typeof name !== "string" || !/^[\w/+=.@-]{1,512}$/.test(name)) {
          throw new AwsError(
            "ValidationException",
            "Invalid name. Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!",
          );
        }
        if (database.find("SELECT 1 FROM secrets WHERE name = ?", name)) {
          throw new AwsError(
            "ResourceExistsException",
            `The operation failed because the secret ${name} already exists.`,
          );
        }
        const arn = `arn:aws:secretsmanager:${region}:${account}:secret:${name}-${randomBytes(3).toString("hex")}`;
        database.run("INSERT INTO secrets VALUES (?, ?, ?, ?, ?)", name, arn, Description, Date.now(), Date.now());
        const hasValue = input.SecretString !== undefined || input.SecretBinary !== undefined;
        return { ARN: arn, Name: name, ...(hasValue && { VersionId: addVersion({ name }, input) }) };
      }),
    PutSecretValue: (input) =>
      database.transaction(() => {
        const secret = get(input);
        return {
          ARN: secret.arn,
          Name: secret.name,
          VersionId: addVersion(secret, input),
          VersionStages: ["AWSCURRENT"],
        };
      }),
    GetSecretValue: (input) => {
      const secret = get(input);
      const version = database.find(
        "SELECT * FROM secret_versions WHERE name = ?1 AND CASE WHEN ?2 IS NULL THEN stage = ?3 ELSE id = ?2 END",
        ...[secret.name, input.VersionId ?? null, input.VersionStage ?? "AWSCURRENT"],
      );
      if (!version) throw notFound();
      return {
        ARN: secret.arn,
        Name: secret.name,
        VersionId: version.id,
        VersionStages: version.stage ? [version.stage] : [],
        CreatedDate: version.created_at / 1000,
        ...(version.string !== null && { SecretString: version.string }),
        ...(version.binary !== null && { SecretBinary: version.binary }),
      };
    },
    DescribeSecret: (input) => {
      const { name, arn, description, created_at, changed_at } = get(input);
      const versions = database.list(
        "SELECT id, stage FROM secret_versions WHERE name = ? AND stage IS NOT NULL",
        name,
      );
      return {
        ARN: arn,
        Name: name,
        ...(description !== null && { Description: description }),
        CreatedDate: created_at / 1000,
        LastChangedDate: changed_at / 1000,
        VersionIdsToStages: Object.fromEntries(versions.map(({ id, stage }) => [id, [stage]])),
      };
    },
    DeleteSecret: (input) => {
      const { name, arn } = get(input);
      database.run("DELETE FROM secrets WHERE name = ?", name);
      return { ARN: arn, Name: name, DeletionDate: Date.now() / 1000 };
    },
  };
}
