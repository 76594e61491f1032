import { ApiError } from "../../base/errors.ts";
import { listRequestedChannels } from "../../core/channels/listing.ts";
import { accessMessage } from "../../messaging/messages/access.ts";
import { getFile } from "../../services/blobs/bucket.ts";
import { uploadFileKey } from "../../services/blobs/names.ts";
import { mayReadChannel, mayReadMessage } from "../../services/identity/caller.ts";
import { findUpload } from "../../store/organization/uploads.ts";
import { recorded } from "./calls.ts";
import { asData } from "./marks.ts";
import { readMessages, requestedChannels, term } from "./reading.ts";
import { accessAgentChannel, checkReadsDirectMessages } from "./scopes.ts";
import type { AgentRequest } from "./tool.ts";

/** Conversations and files as the protocol's resources, which people attach to what they ask. */

const maxListed = 200;
/** Of a file: what a message of the protocol has room for. */
const maxFileBytes = 500_000;
const newestMessages = { anchor: "newest", num_before: 50, num_after: 0 };

export const resourceTemplates = [
  {
    uriTemplate: "skein://channel/{channel_id}",
    name: "channel",
    title: "A channel's newest messages",
    mimeType: "text/markdown",
  },
  {
    uriTemplate: "skein://channel/{channel_id}/topic/{topic}",
    name: "topic",
    title: "A topic's newest messages",
    mimeType: "text/markdown",
  },
  {
    uriTemplate: "skein://direct/{user_ids}",
    name: "direct",
    title: "A direct conversation's newest messages, with the IDs of the others, separated by commas",
    mimeType: "text/markdown",
  },
  {
    uriTemplate: "skein://message/{message_id}/file/{+path}",
    name: "file",
    title: "A file to which a message links as /user_uploads/path, up to 500,000 bytes",
  },
];

/** The channels that can be read. Without descriptions, which people have written: nothing here could mark them as data. */
export async function listResources({ caller, realm }: AgentRequest): Promise<object[]> {
  const channels = await listRequestedChannels(caller, requestedChannels, realm);
  return channels
    .filter(({ id }) => mayReadChannel(caller, id))
    .slice(0, maxListed)
    .map(({ id, name }) => ({ uri: `skein://channel/${id}`, name: `#${name}`, mimeType: "text/markdown" }));
}

/** The content of a resource; undefined if there is none, or none for the agent. */
export async function readResource(request: AgentRequest, uri: string): Promise<object | undefined> {
  const named = namedBy(uri);
  if (!named) return undefined;
  const { isError, content } = await recorded(request.caller, "resources/read", named, async () => {
    try {
      const found = await contentOf(request, named);
      return { isError: found === undefined, content: found };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      return { isError: true, content: undefined };
    }
  });
  return isError ? undefined : { contents: [{ uri, ...content }] };
}

/** What a URI names, by the parameters of the tools. */
interface Named extends Record<string, unknown> {
  channel_id?: number;
  topic?: string;
  user_ids?: number[];
  message_id?: number;
  path?: string;
}

function namedBy(uri: string): Named | undefined {
  const [, channel, topic] = /^skein:\/\/channel\/(\d{1,15})(?:\/topic\/([^/]*))?$/.exec(uri) ?? [];
  if (channel !== undefined) {
    const decoded = topic === undefined ? undefined : decodedPart(topic);
    if (topic !== undefined && decoded === undefined) return undefined;
    return { channel_id: Number(channel), ...(decoded !== undefined && { topic: decoded }) };
  }
  const [, users] = /^skein:\/\/direct\/(\d{1,15}(?:,\d{1,15}){0,99})$/.exec(uri) ?? [];
  if (users !== undefined) return { user_ids: users.split(",").map(Number) };
  const [, message, path] = /^skein:\/\/message\/(\d{1,15})\/file\/(.{1,1000})$/.exec(uri) ?? [];
  const decoded = path === undefined ? undefined : decodedPart(path);
  return decoded === undefined ? undefined : { message_id: Number(message), path: decoded };
}

function decodedPart(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text);
    return decoded.isWellFormed() ? decoded : undefined;
  } catch {
    return undefined;
  }
}

async function contentOf(request: AgentRequest, named: Named): Promise<object | undefined> {
  if (named.message_id !== undefined) return fileOf(request, named.message_id, named.path ?? "");
  const { channel_id: channelId, topic, user_ids: userIds } = named;
  if (userIds) checkReadsDirectMessages(request.caller);
  else await accessAgentChannel(request, channelId ?? 0);
  const narrow = userIds
    ? [term("dm", userIds)]
    : [term("channel", channelId), ...(topic === undefined ? [] : [term("topic", topic)])];
  const { data } = await readMessages(request, narrow, newestMessages);
  return { mimeType: "text/markdown", text: asData(data) };
}

/** A file to which a message links that the agent may read. */
async function fileOf({ caller, realm }: AgentRequest, messageId: number, pathId: string): Promise<object | undefined> {
  const { message } = await accessMessage(caller, messageId, realm);
  if (!mayReadMessage(caller, message) || !message.uploads?.includes(pathId)) return undefined;
  const upload = await findUpload(pathId);
  if (!upload || upload.size > maxFileBytes) return undefined;
  const file = upload.size === 0 ? undefined : await getFile(uploadFileKey(pathId));
  const content = Buffer.from(file?.content ?? new Uint8Array());
  const mimeType = upload.contentType;
  return /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml)\b|image\/svg\b)/.test(mimeType)
    ? { mimeType, text: asData(content.toString("utf8")) }
    : { mimeType, blob: content.toString("base64") };
}
