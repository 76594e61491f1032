import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { withHost } from "../../base/host.ts";
import type { ReportProgress } from "../../base/progress.ts";
import type { Item, TableRequests } from "../../base/table-port/port.ts";
import { SqliteTable } from "../../base/table-port/sqlite/sqlite-table.ts";
import { preparePut } from "../../base/table-port/sqlite/writes.ts";
import { nowSeconds } from "../../base/time.ts";
import { outsideOfRequest } from "../../store/table/recent-writes.ts";
import { ArchiveError } from "./archive-allowance.ts";
import { makeOwnFolder } from "./own-folder.ts";
import type { ImportPlan } from "./plan.ts";
import { noFiles } from "./stored-files.ts";
import { newProgress, writeImport } from "./write.ts";

/**
 * Does all that an import does, into a table in a temporary folder instead of the organization's, and without storing files:
 * throws for what could not be written, so that an import that has been rehearsed does not end in the middle. The plan is used up.
 */
export async function rehearseImport(plan: ImportPlan, name: string, report?: ReportProgress): Promise<void> {
  const folder = makeOwnFolder();
  const table = new RehearsalTable(join(folder.path, "table.sqlite"), plan);
  const memory = new WeakMap<object, object>();
  const secret = randomBytes(32).toString("base64url");
  const progress = { ...newProgress(""), startedAt: nowSeconds() };
  const write = () => writeImport(plan, name, progress, { files: noFiles, ...(report && { report }) });
  try {
    await withHost({ table: () => table, memory: () => memory, secret: () => secret }, () => outsideOfRequest(write));
  } finally {
    await table.close();
    folder.remove();
  }
}

/** A table that says which item it cannot store. */
class RehearsalTable extends SqliteTable {
  readonly #plan: ImportPlan;

  constructor(file: string, plan: ImportPlan) {
    super(file);
    this.#plan = plan;
  }

  override async batchWrite(request: TableRequests["batchWrite"]) {
    for (const item of request.puts) this.#check(item);
    return super.batchWrite(request);
  }

  #check(item: Item): void {
    try {
      preparePut(item);
    } catch (error) {
      throw new ArchiveError(`${describe(item, this.#plan)} cannot be stored: ${(error as Error).message}`);
    }
  }
}

/** An item in the words of the archive. */
function describe({ pk, sk }: Item, plan: ImportPlan): string {
  const [partition, id = sk] = pk.split("#");
  const number = Number(id);
  if (partition === "MESSAGE")
    for (const { message, source } of plan.messages()) if (message.id === number) return `What belongs to ${source}`;
  const person = /^(USERS?|BOTS|STATUSES|ACCOUNT)$/.test(partition ?? "")
    ? plan.members.find((member) => member.id === number || member.email.toLowerCase() === id)
    : undefined;
  if (person) return `What belongs to the person or bot ${person.fullName.slice(0, 100)}`;
  const channel = /^CHANNELS?$/.test(partition ?? "") ? plan.channels[Number.parseInt(id, 10) - 1] : undefined;
  if (channel) return `What belongs to the channel ${channel.channel.name}`;
  const group = partition === "GROUPS" ? plan.groups.find((one) => one.id === number) : undefined;
  return group ? `The group ${group.name}` : `What becomes the item ${pk} ${sk}`;
}
