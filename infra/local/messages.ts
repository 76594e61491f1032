import type { RequestRecord } from "../../shared/base/observability/metrics.ts";
import { roles } from "../../shared/base/schema/roles.ts";
import { apiKeyOfAccount } from "../../shared/services/identity/api-keys.ts";
import { findAccount } from "../../shared/store/users/accounts.ts";
import { listUsers } from "../../shared/store/users/users.ts";
import type { SavedMail } from "./aws/mail.ts";
import type { LocalHost } from "./host.ts";

/** The console line of a request: endpoint, status, duration and what it would have cost on AWS. */
export function requestLine({
  endpoint,
  status,
  userId,
  durationMs,
  readUnits,
  writeUnits,
  tableCalls,
  stages,
}: RequestRecord) {
  const who = userId === undefined ? "" : ` user ${userId}`;
  const calls = `${tableCalls} table calls in ${stages} stages`;
  return `${status} ${endpoint}${who} ${durationMs} ms, ${readUnits} RRU, ${writeUnits} WRU, ${calls}`;
}

/** The console lines of a mail that was written to a file instead of being sent. */
export const mailLines = ({ file, to, subject, link }: SavedMail): string =>
  [`mail to ${to}: ${subject}`, `  file     ${file}`, ...(link ? [`  link     ${link}`] : [])]
    // A line break in a subject must not forge a console line.
    .map((line) => line.replaceAll(/\p{Cc}/gu, " "))
    .join("\n");

/** The startup message: the URL and, where anybody may have them, the owner's API key and a command to try. */
export const startMessage = async (host: LocalHost, startMs: number): Promise<string> =>
  [
    `Skein ${host.created ? "created its organization and " : ""}serves ${host.url} (ready in ${Math.round(startMs)} ms)`,
    ...(host.environment.SKEIN_DEVELOPMENT === "true" ? await keyLines(host) : []),
    `  links    in emails begin with ${host.environment.SKEIN_URL}`,
    "Press Ctrl+C to stop; all data is kept.",
  ].join("\n");

async function keyLines({ url }: LocalHost): Promise<string[]> {
  const owner = (await listUsers()).find(({ role, active }) => role === roles.owner && active);
  const account = owner && (await findAccount(owner.email));
  const key = account ? await apiKeyOfAccount(account) : "";
  return [
    `  owner    ${owner?.email}`,
    `  API key  ${key}`,
    "  try      " +
      `curl -sS -u '${owner?.email}:${key}' ${url}/api/v1/messages -d type=channel -d to=general -d topic=hello --data-urlencode 'content=Hello, world!'`,
  ];
}
