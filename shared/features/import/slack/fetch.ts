import { setTimeout as pause } from "node:timers/promises";
import { limits } from "../../../base/limits.ts";
import type { PlannedEmoji, PlannedFile } from "../plan.ts";

/** Where Slack keeps what an export only links to. Tests replace it. */
export interface SlackServers {
  /** The only origins that are asked, because an archive can name any; `files` and `api` get the token. */
  files: string;
  api: string;
  emoji: string;
}

export const slackServers: SlackServers = {
  files: "https://files.slack.com",
  api: "https://slack.com",
  emoji: "https://emoji.slack-edge.com",
};

const attempts = 3;
const timeoutMs = 120_000;
const maxFileBytes = limits.presignedUploadMib * 1024 * 1024;
/** Slack allows about 20 calls of a method in a minute. */
const maxRetryAfterSeconds = 60;

/** Fetches a file by its link, with a token if there is one; the links of exports contain tokens of their own. */
export async function fetchSlackFile(
  file: PlannedFile,
  servers: SlackServers,
  token: string | undefined,
): Promise<Uint8Array | undefined> {
  if (!isAt(servers.files, file.url)) return undefined;
  const response = await get(file.url, token);
  // Without access, Slack answers with a page to sign in.
  const isPage = response?.headers.get("content-type")?.startsWith("text/html") === true;
  return response && (!isPage || file.isHtml) ? read(response, maxFileBytes) : undefined;
}

/** Custom emoji by name, sorted; none without a token. Throws when the token may not list them. */
export async function fetchSlackEmoji(servers: SlackServers, token: string | undefined): Promise<PlannedEmoji[]> {
  if (token === undefined) return [];
  const reply = await get(`${servers.api}/api/emoji.list`, token);
  const listed = (await reply?.json().catch(() => undefined)) as
    | { ok?: boolean; error?: string; emoji?: Record<string, unknown> }
    | undefined;
  if (!listed?.ok)
    throw new Error(
      `Slack does not list the custom emoji (${listed?.error ?? "no reply"}): the token needs the scope emoji:read`,
    );
  const pictures: PlannedEmoji[] = [];
  const urls = new Map(Object.entries(listed.emoji ?? {}));
  for (const name of [...urls.keys()].sort()) {
    const named = urls.get(name);
    // Another name of an emoji is an emoji of its own here.
    const url =
      typeof named === "string" && named.startsWith("alias:") ? urls.get(named.slice("alias:".length)) : named;
    if (typeof url !== "string" || !isAt(servers.emoji, url)) continue;
    const response = await get(url, undefined);
    const content = response && (await read(response, limits.pictureMib * 1024 * 1024));
    if (content) pictures.push({ name, content: Buffer.from(content), authorId: null, deactivated: false });
  }
  return pictures;
}

export const isAt = (origin: string, url: string): boolean => URL.parse(url)?.origin === origin;

async function get(url: string, token: string | undefined): Promise<Response | undefined> {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    }).catch(() => undefined);
    if (response?.ok) return response;
    await response?.body?.cancel();
    const isTransient = !response || response.status === 429 || response.status >= 500;
    if (!isTransient || attempt === attempts) return undefined;
    const seconds = Number(response?.headers.get("retry-after") ?? attempt);
    await pause(1000 * Math.min(maxRetryAfterSeconds, Number.isFinite(seconds) ? seconds : attempt));
  }
}

/** The body; undefined if it is longer than allowed, or ends too early. */
async function read(response: Response, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of response.body ?? []) {
      length += chunk.length;
      if (length > maxBytes) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}
