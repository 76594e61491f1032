import { badRequest } from "../../base/errors.ts";
import { renderText } from "../../messaging/messages/render/render.ts";
import type { Caller } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import { accessActiveBot } from "../bots/access.ts";
import { contentOf, topicName } from "./content.ts";
import { UnreadablePayload } from "./integration.ts";
import { readLastPayload } from "./last-payload.ts";
import { service } from "./webhooks/generic/service.ts";

interface Templates {
  topic_template?: string | undefined;
  content_template?: string | undefined;
}

/**
 * What a bot would post of its last payload by these templates, or by those of its configuration; throws a 400 for a template that
 * cannot be read. Without a payload, only the templates.
 */
export async function previewTemplate(caller: Caller, botId: number, changed: Templates, realm: Realm) {
  const [{ bot }, last] = await Promise.all([accessActiveBot(caller, botId), readLastPayload(botId)]);
  const templates = {
    topic_template: changed.topic_template ?? bot.configData?.topic_template ?? "",
    content_template: changed.content_template ?? bot.configData?.content_template ?? "",
  };
  if (!last) return { ...templates, payload: null, received_at: null, topic: null, content: null, rendered: null };
  const post = postOf(last.payload, templates);
  const content = post && contentOf(post);
  return {
    ...templates,
    payload: JSON.stringify(last.payload, undefined, 2),
    received_at: last.receivedAt,
    topic: post ? topicName(post.topic) || service.title : null,
    content: content ?? null,
    rendered: content === undefined ? null : (await renderText(content, realm, caller)).html,
  };
}

function postOf(payload: unknown, config: Record<string, string>) {
  try {
    return service.toPost(payload, { headers: {}, body: Buffer.alloc(0), parameter: () => undefined, config });
  } catch (error) {
    if (error instanceof UnreadablePayload) throw badRequest(`This cannot be posted: ${error.message}.`);
    throw error;
  }
}
