import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

/** A row, with the columns that the statement selects. */
// biome-ignore lint/suspicious/noExplicitAny: the SQL text determines the types of columns.
export type Row = Record<string, any>;

/** The SQLite file that all services share, so that a change across several services is one transaction. */
export class Database {
  readonly #sqlite: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #depth = 0;

  constructor(file: string) {
    mkdirSync(dirname(file), { recursive: true });
    this.#sqlite = new DatabaseSync(file);
    // NORMAL: in WAL mode a commit is in the operating system's hands when it returns, so killing the process loses
    // nothing, and without an fsync a commit takes microseconds instead of milliseconds. A power cut can lose the
    // commits since the last checkpoint, but never their atomicity or their order.
    this.#sqlite.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000");
  }

  define(schema: string): void {
    this.#sqlite.exec(schema);
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepared(sql).run(...values).changes);
  }

  find(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepared(sql).get(...values);
  }

  list(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepared(sql).all(...values);
  }

  /** Runs `work` in a transaction; a nested call joins the outer one. */
  transaction<T>(work: () => T): T {
    if (this.#depth > 0) return work();
    this.#sqlite.exec("BEGIN IMMEDIATE");
    this.#depth++;
    try {
      const result = work();
      this.#sqlite.exec("COMMIT");
      return result;
    } catch (error) {
      this.#sqlite.exec("ROLLBACK");
      throw error;
    } finally {
      this.#depth--;
    }
  }

  close(): void {
    this.#statements.clear();
    this.#sqlite.close();
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#sqlite.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
