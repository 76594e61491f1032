import { listExports, updateExport } from "../../../shared/store/organization/exports.ts";
import { transact } from "../../../shared/store/table/transactions.ts";
import { send } from "../http.ts";
import { eventually } from "../waiting.ts";
import type { Person } from "../world.ts";
import { filesIn } from "./archive.ts";

/** What administrators do with exports. All files share one organization, and one limit of exports in a week. */

/** Makes all exports older than the week in which they count. */
export async function forgetExports(): Promise<void> {
  for (const one of await listExports())
    if (one.status !== "pending") await transact([updateExport(one, { requestedAt: 1 })]);
}

export const exportOf = async (person: Person, id: number): Promise<any> =>
  (await person.call("GET", "/export/realm")).body.exports.find((one: any) => one.id === id);

/** Asks for an export and waits for its end. */
export async function exported(person: Person, params: Record<string, unknown> = {}): Promise<any> {
  await forgetExports();
  const { body } = await person.call("POST", "/export/realm", params);
  if (body.result !== "success") throw new Error(body.msg);
  return eventually(async () => {
    const one = await exportOf(person, body.id);
    return !one.pending && one;
  });
}

/** Follows an export's address as a browser does, without credentials; at `host`, where it is not the one under test. */
export async function download(url: string, host?: string): Promise<Buffer> {
  const redirected = await send("GET", new URL(url).pathname, undefined, host ? { url: host } : {});
  if (redirected.status !== 302) throw new Error(`The archive answers ${redirected.status}`);
  const response = await fetch(String(redirected.headers.location));
  if (!response.ok) throw new Error(`The link answers ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** An archive's files: those of JSON parsed, joined by their folders. */
export async function archiveOf(url: string, host?: string) {
  const files = filesIn(await download(url, host));
  const inFolder = (folder: string, field: string): any[] =>
    [...files]
      .filter(([path]) => path.startsWith(`${folder}/`))
      .flatMap(([, content]) => JSON.parse(content.toString())[field]);
  return {
    files,
    json: (path: string): any => JSON.parse(files.get(path)?.toString() ?? "null"),
    users: inFolder("users", "users"),
    channels: inFolder("channels", "streams"),
    messages: inFolder("messages", "messages"),
    attachments: inFolder("messages", "attachments"),
  };
}
