import { findAccount } from "../../shared/store/accounts.ts";
import { listUsers } from "../../shared/store/users.ts";
import type { RequestRecord } from "../../shared/trace.ts";
import { keyOf } from "../../shared/users/keys.ts";
import { roles } from "../../shared/users/roles.ts";
import type { Host } from "./host.ts";

/** One line for each request: what was asked, what it answered, how long it took and what it would have cost. */
export function requestLine({
  endpoint,
  status,
  userId,
  durationMs,
  readUnits,
  writeUnits,
  tableCalls,
}: RequestRecord) {
  const who = userId === undefined ? "" : ` user ${userId}`;
  return `${status} ${endpoint}${who} ${durationMs} ms, ${readUnits} RRU, ${writeUnits} WRU, ${tableCalls} table calls`;
}

/** What a person needs to begin: the address, the owner's key and a line to paste. */
export async function welcome({ url, created }: Host, startMs: number): Promise<string> {
  const owner = (await listUsers()).find(({ role, active }) => role === roles.owner && active);
  const account = owner && (await findAccount(owner.email));
  const key = account ? await keyOf(account) : "";
  return [
    `Skein ${created ? "created its organization and " : ""}serves ${url} (ready in ${Math.round(startMs)} ms)`,
    `  owner    ${owner?.email}`,
    `  API key  ${key}`,
    "  try      " +
      `curl -sS -u '${owner?.email}:${key}' ${url}/api/v1/messages -d type=channel -d to=general -d topic=hello --data-urlencode 'content=Hello, world!'`,
    "Stop it with Ctrl+C; everything is kept.",
  ].join("\n");
}
