import { globSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Integration } from "../../shared/features/integrations/integration.ts";
import { findIntegration } from "../../shared/features/integrations/load.ts";

/** The directory of incoming integrations, generated from their declarations. */

const folder = resolve(import.meta.dirname, "../../shared/features/integrations/webhooks");

/** All integrations by name, sorted by title. */
export async function loadIntegrations(): Promise<[name: string, integration: Integration][]> {
  const names = globSync("*/service.ts", { cwd: folder }).map(dirname);
  const found = await Promise.all(
    names.map(async (name): Promise<[string, Integration]> => {
      const integration = await findIntegration(name);
      if (!integration) throw new Error(`shared/features/integrations/webhooks/${name}/service.ts exports no service`);
      return [name, integration];
    }),
  );
  return found.sort(([, a], [, b]) => a.title.localeCompare(b.title, "en"));
}

/** docs/integrations.md. The steps of each integration are where they are followed: in the page and in the reference documentation. */
export const integrationsPage = (integrations: readonly (readonly [string, Integration])[]): string =>
  `${[
    introduction,
    "## The integrations",
    [
      "| integration | in the URL | what it posts | signed |",
      "|---|---|---|---|",
      ...integrations.map(
        ([name, { title, summary, isSigned, verify }]) =>
          `| ${title} | \`${name}\` | ${summary} | ${isSigned ? "yes" : verify ? "always" : ""} |`,
      ),
    ].join("\n"),
    "[integration-events.md](integration-events.md) lists the events of each service: which are posted, and which are left out and why.",
  ].join("\n\n")}\n`;

/** The integrations with their steps, for the description of the call in the reference documentation. */
export const integrationsDirectory = (integrations: readonly (readonly [string, Integration])[]): string =>
  [
    'Make a bot of the type "Incoming webhook", and put its URL together: `/api/v1/external/<integration>?api_key=<the bot\'s key>&stream=<channel>`. Enter it in the service:',
    ...integrations.map(sectionOf),
  ].join("\n\n");

function sectionOf([name, declared]: readonly [string, Integration]): string {
  const { title, summary, setUp, parameters = {}, configuration = {}, keepsPayload } = declared;
  const described = [
    ...Object.entries(parameters).map(([field, meaning]) => `- \`${field}\` (in the URL): ${meaning}`),
    ...Object.entries(configuration).map(
      ([field, meaning]) => `- \`${field}\` (in the bot's \`config_data\`): ${meaning}`,
    ),
  ];
  return [
    `**${title}** (\`/api/v1/external/${name}\`): ${summary}`,
    setUp.map((step, index) => `${index + 1}. ${step}`).join("\n"),
    ...(described.length > 0 ? [described.join("\n")] : []),
    ...(keepsPayload
      ? [
          "The bot's owner and administrators can see the last payload for seven days, shortened to 1.8 KB when compressed.",
        ]
      : []),
  ].join("\n\n");
}

const introduction = `# Incoming integrations

<!-- Written by \`npm run docs\` from the declarations in shared/features/integrations/webhooks. -->

Builds, alerts, tickets and deployments can post into the chat: a service sends its events to one URL, and a bot posts them as messages.

## Set-up

1. Create a bot of the type "Incoming webhook", in the web client under Settings → Your bots, or by \`POST /api/v1/bots\` with
   \`bot_type=2\`.
2. The same page of the web client builds the URL, lists the integration's events, and shows what each looks like:

   \`\`\`text
   https://<your server>/api/v1/external/<integration>?api_key=<the bot's key>&stream=my%20alerts
   \`\`\`

   Anyone who knows the URL can post as the bot. A new API key for the bot invalidates the URL.
3. Enter the URL in the service. The page shows the steps for this. The reference at \`/api\` has them too, and lists the parameters that each
   integration reads from its URL and from the bot's configuration.

| parameter | meaning |
|---|---|
| \`stream\` | the channel's name or ID; without it, messages go to the bot's owner as direct messages |
| \`topic\` | the topic of all messages; the topic that the integration would choose becomes the first line of each message |
| \`only_events\` | a JSON list of events to post, such as \`["pull_request*"]\`; \`*\` stands for any text |
| \`exclude_events\` | a JSON list of events not to post |

Text from a service is escaped or quoted, and mentions nobody. An event that an integration does not know is accepted but not posted,
and the bot's owner is notified once.
If a service gives its deliveries IDs, a delivery that is repeated within a day is posted only once. The bot's owner is also notified once
if requests cannot be read, or if the channel does not exist or is closed to the bot.

## Configuration and signatures

Set the bot's configuration, which an integration reads, in the web client's settings or with \`PATCH /api/v1/bots/<ID>\` and
\`config_data={"<name>": "<value>"}\`. Store the secret that a service signs with as \`webhook_secret\`: from then on, requests that
are not signed with it are refused. Signatures that need no secret of yours ("always" below) are verified in any case.`;
