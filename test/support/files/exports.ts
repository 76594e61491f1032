import { listExports, updateExport } from "../../../shared/store/organization/exports.ts";
import { transact } from "../../../shared/store/table/transactions.ts";
import { send } from "../http.ts";
import { eventually } from "../waiting.ts";
import type { Person } from "../world.ts";
import { filesIn } from "./archive.ts";

/** Creates and downloads exports. All test files share one organization, and so its weekly limit of exports. */

/** Makes all finished exports older than a week, so that they do not count towards the limit. */
export async function forgetExports(): Promise<void> {
  for (const one of await listExports())
    if (one.status !== "pending") await transact([updateExport(one, { requestedAt: 1 })]);
}

export const exportOf = async (person: Person, id: number): Promise<any> =>
  (await person.call("GET", "/export/realm")).body.exports.find((one: any) => one.id === id);

/** Requests an export and waits until it has finished. */
export async function runExport(person: Person, params: Record<string, unknown> = {}): Promise<any> {
  await forgetExports();
  const { body } = await person.call("POST", "/export/realm", params);
  if (body.result !== "success") throw new Error(body.msg);
  return eventually(async () => {
    const one = await exportOf(person, body.id);
    return !one.pending && one;
  });
}

/** Downloads an export's archive without credentials, from `host` instead of the host under test if given. */
export async function download(url: string, host?: string): Promise<Buffer> {
  const redirected = await send("GET", new URL(url).pathname, undefined, host ? { url: host } : {});
  if (redirected.status !== 302) throw new Error(`The archive answers ${redirected.status}`);
  const response = await fetch(String(redirected.headers.location));
  if (!response.ok) throw new Error(`The link answers ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

type Row = Record<string, any>;

/** Downloads an archive; returns its files, without the folder that contains all of them, and the rows of its tables. */
export async function downloadArchive(url: string, host?: string) {
  const files = new Map(
    [...filesIn(await download(url, host))].map(([path, content]) => [path.slice(path.indexOf("/") + 1), content]),
  );
  const json = (path: string): any => JSON.parse(files.get(path)?.toString() ?? "null");
  const messageFiles = [...files.keys()].filter((path) => /^messages-\d{6}\.json$/.test(path)).sort();
  const { import_source, ...realm } = json("realm.json");
  const tables: Record<string, Row[]> = {
    ...realm,
    ...json("attachment.json"),
    zerver_message: [],
    zerver_usermessage: [],
  };
  for (const path of messageFiles)
    for (const [name, rows] of Object.entries<Row[]>(json(path))) tables[name]?.push(...rows);
  /** The only row of a table with these columns; undefined if there is none. */
  const row = (table: string, columns: Row): any => {
    const found = (tables[table] ?? []).filter((each) =>
      Object.entries(columns).every(([column, value]) => each[column] === value),
    );
    if (found.length > 1) throw new Error(`${found.length} rows of ${table} have ${JSON.stringify(columns)}`);
    return found[0];
  };
  return { files, json, tables, row, messageFiles, importSource: import_source };
}
