import { badRequest } from "../../base/errors.ts";
import {
  bool,
  int,
  list,
  messageText,
  nameText,
  oneOf,
  optional,
  type Shape,
  string,
  timestamp,
  type Values,
  withDefault,
  withNote,
} from "../../base/schema/params.ts";
import { toStoredTopic } from "../../core/channels/topic-names.ts";
import { listVisibleTopics } from "../../core/channels/topics.ts";
import { resolvedName, unresolvedName } from "../../messaging/messages/edit/rules.ts";
import { messageHash } from "../../messaging/messages/links.ts";
import { fileInMemory } from "../../services/http/uploaded-files.ts";
import { visibilityPolicies } from "../../store/channels/user-topics.ts";
import { accessChannelToWrite, accessMessageToWrite, checkWritesDirectMessages } from "./scopes.ts";
import { type AgentRequest, type Tool, tool } from "./tool.ts";

/** Tools that write, each by the endpoint that does the same, within what the key may write. None of them deletes anything. */

/** Far below what fits into a message of the protocol in Base64. */
const maxFileBytes = 500_000;

const destination = {
  channel_id: optional(withNote(int({ min: 1 }), "The channel, with a topic; or use user_ids instead.")),
  topic: optional(withNote(nameText(), "A topic of the channel; if it does not exist, the message starts it.")),
  user_ids: optional(withNote(list(int({ min: 1 }), { max: 80 }), "The others in a direct conversation.")),
  content: withNote(messageText(), "The text, in Markdown."),
};

/** The parameters of the endpoints that send, if the agent may write there. */
async function accessDestination(
  request: AgentRequest,
  { channel_id: channelId, topic, user_ids: userIds, content }: Values<typeof destination>,
) {
  if (userIds) {
    if (channelId !== undefined || topic !== undefined) throw badRequest("Give channel_id and topic, or user_ids");
    checkWritesDirectMessages(request.caller);
    return { type: "direct" as const, to: userIds, content };
  }
  if (channelId === undefined || topic === undefined) throw badRequest("Give channel_id and topic, or user_ids");
  await accessChannelToWrite(request, channelId);
  return { type: "channel" as const, to: channelId, topic, content };
}

const policies = { default: visibilityPolicies.none, ...visibilityPolicies };

export const writingTools: readonly Tool<Shape>[] = [
  tool({
    name: "send_message",
    title: "Send a message",
    description:
      "Sends a message to a topic of a channel, or directly to people. Everybody sees that an agent wrote it.",
    params: destination,
    writes: "adds",
    run: async (request, params) => {
      const named = await accessDestination(request, params);
      const { id } = await request.writers.sendMessage({ ...request, params: named });
      const hash = messageHash({
        id,
        ...(named.type === "channel"
          ? { channelId: named.to, topic: named.topic }
          : { userIds: [...named.to, request.caller.id] }),
      });
      return { note: `Sent as message ${id}: ${request.baseUrl}/${hash}`, messageId: id };
    },
  }),
  tool({
    name: "edit_message",
    title: "Edit a message",
    description: "Replaces the text of a message that this agent has sent.",
    params: { message_id: int({ min: 1 }), content: destination.content },
    writes: "changes",
    run: async (request, { message_id, content }) => {
      const message = await accessMessageToWrite(request, message_id);
      // What people have written themselves must not say anything else under their name.
      if (request.caller.agentKey && message.client !== request.request.client)
        throw badRequest("An agent can edit only what it has sent itself");
      await request.writers.editMessage({ ...request, params: { ...unmoved, message_id, content } });
      return { note: `Message ${message_id} was edited.` };
    },
  }),
  tool({
    name: "add_reaction",
    title: "React to a message",
    description: "Adds an emoji reaction to a message.",
    params: { message_id: int({ min: 1 }), emoji_name: withNote(string({ max: 200 }), "Such as thumbs_up or tada.") },
    writes: "adds",
    run: async (request, params) => {
      await accessMessageToWrite(request, params.message_id);
      await request.writers.addReaction({ ...request, params });
      return { note: `Reacted to message ${params.message_id}.` };
    },
  }),
  tool({
    name: "resolve_topic",
    title: "Resolve a topic",
    description: "Marks a topic of a channel as resolved, or as unresolved again. A notice in the topic says so.",
    params: { channel_id: int({ min: 1 }), topic: nameText(), resolved: withDefault(bool(), true) },
    writes: "changes",
    run: async (request, { channel_id: channelId, topic, resolved }) => {
      const named = toStoredTopic(topic, request.realm.settings);
      const topics = await listVisibleTopics(await accessChannelToWrite(request, channelId));
      const found = topics.find(({ name }) => name === named);
      if (!found) throw badRequest("There is no such topic");
      const renamed = resolved ? resolvedName(named) : unresolvedName(named);
      if (renamed === named) return { note: "It was so already." };
      const params = { ...unmoved, message_id: found.maxId, topic: renamed, propagate_mode: "change_all" as const };
      await request.writers.editMessage({ ...request, params });
      return { note: `The topic is ${resolved ? "resolved" : "no longer resolved"}.` };
    },
  }),
  tool({
    name: "schedule_message",
    title: "Schedule a message",
    description: "Sends a message later. Its owner can change or cancel it until then.",
    params: { ...destination, deliver_at: withNote(timestamp(), "UNIX time in seconds.") },
    writes: "adds",
    run: async (request, { deliver_at, ...params }) => {
      const named = await accessDestination(request, params);
      const { scheduled_message_id: id } = await request.writers.scheduleMessage({
        ...request,
        params: { ...named, scheduled_delivery_timestamp: deliver_at },
      });
      return { note: `Scheduled as ${id} for ${new Date(deliver_at * 1000).toISOString()}.` };
    },
  }),
  tool({
    name: "upload_file",
    title: "Upload a file",
    description:
      "Uploads a small file, and returns the Markdown link that shows it in a message. Nobody sees the file before that.",
    params: {
      name: string({ max: 200, allowBlank: false }),
      content: string({ max: Math.ceil(maxFileBytes / 3) * 4 }),
      encoding: withDefault(oneOf(["text", "base64"]), "text"),
    },
    writes: "adds",
    run: async (request, { name, content, encoding }) => {
      const bytes = Buffer.from(content, encoding === "base64" ? "base64" : "utf8");
      if (encoding === "base64" && bytes.toString("base64") !== content) throw badRequest("content is not Base64");
      if (bytes.length > maxFileBytes) throw badRequest(`A file has at most ${maxFileBytes} bytes`);
      const files = [fileInMemory({ name, content: bytes })];
      const { url, filename } = await request.writers.uploadFile({
        ...request,
        request: { ...request.request, files },
        params: {},
      });
      return { note: `Uploaded. Link: [${filename.replaceAll(/[[\]\\]/g, "")}](${url})` };
    },
  }),
  tool({
    name: "set_topic_policy",
    title: "Mute or follow a topic",
    description: "Mutes, unmutes or follows a topic for the key's owner, or resets it to the default.",
    params: {
      channel_id: int({ min: 1 }),
      topic: nameText(),
      policy: oneOf(["default", "muted", "unmuted", "followed"]),
    },
    writes: "changes",
    run: async (request, { channel_id: channelId, topic, policy }) => {
      await accessChannelToWrite(request, channelId);
      const params = { stream_id: channelId, topic, visibility_policy: policies[policy] };
      await request.writers.updateUserTopic({ ...request, params });
      return { note: `The topic's policy is: ${policy}.` };
    },
  }),
] as unknown as readonly Tool<Shape>[];

/** An edit that leaves the message where it is. */
const unmoved = {
  propagate_mode: "change_one" as const,
  send_notification_to_old_thread: false,
  send_notification_to_new_thread: true,
};
