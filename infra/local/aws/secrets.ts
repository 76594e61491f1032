import { randomBytes } from "node:crypto";
import type { Database } from "./database.ts";
import type { Operations } from "./operations.ts";

const schema = `
  CREATE TABLE IF NOT EXISTS secrets (
    name TEXT PRIMARY KEY, arn TEXT NOT NULL UNIQUE, description TEXT, created_at INTEGER NOT NULL, changed_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS secret_versions (
    name TEXT NOT NULL REFERENCES secrets ON DELETE CASCADE, id TEXT NOT NULL, stage TEXT, string TEXT, binary TEXT,
    created_at INTEGER NOT NULL, PRIMARY KEY (name, id)
  ) STRICT;`;

/** The fleet's secret, created by the first start. Operators' secrets are settings on one machine. */
export function findOrCreateSecret(database: Database): string {
  database.define(schema);
  const found = () => database.find("SELECT string FROM secret_versions WHERE name = 'skein' AND stage = 'AWSCURRENT'");
  if (!found())
    database.transaction(() => {
      const now = Date.now();
      database.run("INSERT OR IGNORE INTO secrets VALUES ('skein', 'skein', NULL, ?1, ?1)", now);
      const value = randomBytes(32).toString("base64");
      database.run("INSERT INTO secret_versions VALUES ('skein', '1', 'AWSCURRENT', ?, NULL, ?)", value, now);
    });
  return found()?.string;
}

/** Secrets Manager: one secret. */
export const secretOperations = (secret: string): Operations => ({ GetSecretValue: () => ({ SecretString: secret }) });
