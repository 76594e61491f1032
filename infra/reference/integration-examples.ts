import type { RenderContext } from "../../shared/core/markdown/context.ts";
import { renderMarkdown } from "../../shared/core/markdown/render.ts";
import { decodeBody } from "../../shared/features/integrations/body.ts";
import { contentOf } from "../../shared/features/integrations/content.ts";
import type { Example } from "../../shared/features/integrations/example.ts";
import type { Integration, Post } from "../../shared/features/integrations/integration.ts";

/** The examples of what integrations receive, and what they make of them. */

export async function loadExamples(name: string): Promise<readonly Example[]> {
  const { examples } = (await import(`../../shared/features/integrations/webhooks/${name}/examples.ts`)) as {
    examples: Example[];
  };
  return examples;
}

/** What an integration makes of an example, as of a delivery of the service. */
export function postOf({ payload: schema, toPost }: Integration, [headers, payload]: Example): Post | undefined {
  const body = Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload));
  const delivery = { headers, body, parameter: () => undefined, config: {} };
  return toPost(schema.parse(decodeBody(delivery)), delivery);
}

/** A message as the web client shows it. */
interface ShownExample {
  /** Empty if the service names no events. */
  event: string;
  topic: string;
  html: string;
}

/** The first example of each event, as it is posted, by event. */
export async function shownExamples(name: string, integration: Integration): Promise<ShownExample[]> {
  const posts = (await loadExamples(name)).flatMap((example) => postOf(integration, example) ?? []);
  const shown = integration.events
    ? [...Map.groupBy(posts, ({ event }) => event)].flatMap(([, [first]]) => first ?? [])
    : posts;
  return Promise.all(
    shown.map(async (post) => ({
      event: post.event ?? "",
      topic: post.topic,
      html: await htmlOf(contentOf(post)),
    })),
  );
}

export const htmlOf = async (content: string): Promise<string> =>
  (await renderMarkdown(content, emptyOrganization)).html;

/** What services send refers to nothing of an organization. */
const emptyOrganization: RenderContext = {
  findUsers: async () => [],
  findUsersById: async () => [],
  findGroups: async () => [],
  findGroupsById: async () => [],
  findChannels: async () => [],
  latestMessageIdInTopic: async (topics) => topics.map(() => undefined),
  realmEmoji: async () => [],
  linkifiers: async () => [],
  emptyTopicDisplayName: "",
};
