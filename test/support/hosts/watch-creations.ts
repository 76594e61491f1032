import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { runningFunctionName } from "../../../infra/local/guard.ts";
import { currentHost } from "../../../shared/base/host.ts";
import { observeTableCalls, type TableCall } from "../../../shared/base/table-port/observe.ts";
import type { Condition, Key } from "../../../shared/base/table-port/port.ts";

/** The environment variable with the folder in which hosts of a test run record which items their functions store anew. */
export const createdItemsVariable = "SKEIN_CREATED_ITEMS";

/** What an item is: the words of its key, without IDs and names. "n" stands for whatever a sort key begins with otherwise. */
export function kindOfItem({ pk, sk }: Key): string {
  const wordOf = (text: string) => /^[A-Z_]+(?=#|$)/.exec(text)?.[0];
  const suffix = /^\d+(#[A-Z]+)$/.exec(sk)?.[1] ?? "";
  return `${wordOf(pk) ?? pk}/${wordOf(sk) ?? `n${suffix}`}`;
}

/** The keys of the items that a call may store anew. */
const writtenKeys = ({ name, request }: TableCall): Key[] => {
  if (name === "update") return isOfStored(request.when) ? [] : [request.key];
  if (name === "batchWrite") return [...request.puts];
  if (name !== "transact") return [];
  return request.writes.flatMap((write) => {
    if (isOfStored(write.when)) return [];
    return write.kind === "put" ? [write.item] : write.kind === "update" ? [write.key] : [];
  });
};

/** Whether a condition holds for an item that exists alone. */
const isOfStored = ({ exists, equals = {}, contains }: Condition = {}): boolean =>
  exists === true || contains !== undefined || Object.values(equals).some((value) => value !== undefined);

/** From now on calls `record` once for each function and kind of item that the function stores where there is none. */
export function watchCreations(record: (functionName: string, kind: string) => void): () => void {
  const recorded = new Set<string>();
  return observeTableCalls(async (call, proceed) => {
    const functionName = runningFunctionName();
    if (functionName === undefined) return proceed();
    const table = currentHost().table();
    const unknown = writtenKeys(call).filter((key) => !recorded.has(`${functionName} ${kindOfItem(key)}`));
    const before = await Promise.all(
      unknown.map(async ({ pk, sk }) => table?.get({ key: { pk, sk }, consistent: true })),
    );
    const result = await proceed();
    for (const [index, key] of unknown.entries()) {
      const line = `${functionName} ${kindOfItem(key)}`;
      if (before[index]?.item !== undefined || recorded.has(line)) continue;
      recorded.add(line);
      record(functionName, kindOfItem(key));
    }
    return result;
  });
}

/** Records in the folder that the environment names; without one, does nothing. */
export function recordCreations(): void {
  const folder = process.env[createdItemsVariable];
  if (folder === undefined) return;
  watchCreations((functionName, kind) =>
    appendFileSync(join(folder, String(process.pid)), `${functionName} ${kind}\n`),
  );
}
