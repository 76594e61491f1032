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
    "## What is left out",
    "These events are accepted and not posted, and nobody is told:",
    [
      "| integration | events | what they are |",
      "|---|---|---|",
      ...integrations.flatMap(([, { title, leavesOut = {} }]) =>
        [...Map.groupBy(Object.entries(leavesOut), ([, what]) => what)].map(
          ([what, events]) => `| ${title} | ${events.map(([event]) => `\`${event}\``).join(", ")} | ${what} |`,
        ),
      ),
    ].join("\n"),
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

Builds, alerts, tickets and deployments post into the chat: a service sends its events to one URL, and they become messages of a bot.

## Set-up

1. Create a bot of the type "Incoming webhook", in the web client under "Settings", "Bots", or by \`POST /api/v1/bots\` with
   \`bot_type=2\`.
2. The same page puts the URL together, lists the integration's events, and shows what each looks like:

   \`\`\`text
   https://<your server>/api/v1/external/<integration>?api_key=<the bot's key>&stream=my%20alerts
   \`\`\`

   Whoever knows the URL can post as the bot; a new API key of the bot makes it void.
3. Enter the URL in the service. The page then shows the steps; the reference at \`/api\` has them too, with what each integration
   reads of its URL and of the bot's configuration.

| parameter | meaning |
|---|---|
| \`stream\` | the channel's name or ID; without it, messages go directly to the bot's owner |
| \`topic\` | the topic of all messages, instead of one that the integration chooses, which becomes the first line of each |
| \`only_events\` | a JSON list of events to post, such as \`["pull_request*"]\`; \`*\` stands for any text |
| \`exclude_events\` | a JSON list of events not to post |

What a service sends mentions nobody, and is escaped or quoted. An event that an integration does not know is accepted and not posted,
and the bot's owner is told once.
Where deliveries have an ID, one that is sent again within a day is posted once. The bot's owner is told once if requests cannot be
read, or if the channel does not exist or is closed to the bot.

## Configuration and signatures

The web client's settings set what an integration reads of the bot's configuration; so does \`PATCH /api/v1/bots/<ID>\` with
\`config_data={"<name>": "<value>"}\`. Store the secret with which a service signs as \`webhook_secret\`: from then on, requests that
are not signed with it are refused. What is signed without a secret of yours ("always" below) is verified in any case.`;
