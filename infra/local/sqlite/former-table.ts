import { renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { batchesOf } from "../../../shared/base/batches.ts";
import { nameKey } from "../../../shared/base/name-key.ts";
import type { Item } from "../../../shared/base/table-port/port.ts";
import { SqliteTable } from "../../../shared/base/table-port/sqlite/sqlite-table.ts";
import { userNameKeys, usersPartition } from "../../../shared/store/users/users.ts";
import { fromDynamoDbJson } from "../../backup/dynamodb-json.ts";

/** The table of version 0.1.0, which an embedded engine kept in an SQLite file of its own. */

const maxItemsAtOnce = 25;

/** Version 0.1.0 compared names by their lower case alone, so that what claims a name may have to claim it in another form. */
class FormerClaims {
  private readonly unchanged = new Set<string>();
  private readonly items: { item: Item; pk: string }[] = [];

  /** Whether an item is a claim that changes; it is kept for later. */
  changes(item: Item): boolean {
    const [, kind, name] = /^((?:CHANNEL|CHANNELFOLDER|GROUP)NAME#)(.*)$/s.exec(String(item.pk)) ?? [];
    if (kind === undefined || name === undefined) return false;
    const pk = kind + nameKey(name);
    if (pk === item.pk) this.unchanged.add(pk);
    else this.items.push({ item, pk });
    return pk !== item.pk;
  }

  /** The changed claims. Of names that are the same now, one is claimed, and the others are left as they were. */
  changed(): Item[] {
    return this.items.map(({ item, pk }) => {
      if (this.unchanged.has(pk)) return item;
      this.unchanged.add(pk);
      return { ...item, pk };
    });
  }
}

/** A user is found by names that look like theirs. */
const withNameKeys = (item: Item): Item =>
  item.pk === usersPartition ? { ...item, ...userNameKeys(String(item.fullName), Number(item.id)) } : item;

/** Copies the items into a new file, which is there when all of them are; the former one stays as it is. */
export async function convertFormerTable(formerFile: string, file: string): Promise<void> {
  const part = `${file}.part`;
  const remove = () => {
    for (const suffix of ["", "-wal", "-shm", "-mark"]) rmSync(part + suffix, { force: true });
  };
  remove();
  const former = new DatabaseSync(formerFile);
  const table = new SqliteTable(part);
  const claims = new FormerClaims();
  try {
    let puts: Item[] = [];
    let written = Promise.resolve();
    for (const { item_json } of former.prepare("SELECT item_json FROM skein").iterate()) {
      const item = unmarshall(fromDynamoDbJson(String(item_json))) as Item;
      if (claims.changes(item)) continue;
      puts.push(withNameKeys(item));
      if (puts.length < maxItemsAtOnce) continue;
      const writing = table.batchWrite({ puts, deletes: [] });
      // One call runs while the next is prepared, so that memory stays small.
      await written;
      written = writing.then(() => {});
      puts = [];
    }
    await written;
    for (const rest of batchesOf([...puts, ...claims.changed()], maxItemsAtOnce))
      await table.batchWrite({ puts: rest, deletes: [] });
  } catch (error) {
    await table.close();
    remove();
    throw error;
  } finally {
    former.close();
  }
  await table.close();
  renameSync(part, file);
  remove();
}
