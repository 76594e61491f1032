import { globSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { Integration } from "../../shared/integrations/integration.ts";
import { findIntegration } from "../../shared/integrations/load.ts";

/** The directory of incoming integrations, generated from their declarations. */

const folder = resolve(import.meta.dirname, "../../shared/integrations/services");

/** All integrations by name, sorted by title. */
export async function loadIntegrations(): Promise<[name: string, integration: Integration][]> {
  const names = globSync("*.ts", { cwd: folder }).map((file) => basename(file, ".ts"));
  const found = await Promise.all(
    names.map(async (name): Promise<[string, Integration]> => {
      const integration = await findIntegration(name);
      if (!integration) throw new Error(`shared/integrations/services/${name}.ts exports no service`);
      return [name, integration];
    }),
  );
  return found.sort(([, a], [, b]) => a.title.localeCompare(b.title, "en"));
}

const urlOf = (name: string) => `https://chat.example/api/v1/external/${name}?api_key=…&stream=alerts`;

/** docs/integrations.md. */
export const integrationsPage = (integrations: readonly (readonly [string, Integration])[]): string =>
  `${[
    introduction,
    "## The integrations",
    [
      "| integration | in the URL | what it posts |",
      "|---|---|---|",
      ...integrations.map(
        ([name, { title, summary }]) => `| [${title}](#${anchorOf(title)}) | \`${name}\` | ${summary} |`,
      ),
    ].join("\n"),
    ...integrations.map(sectionOf),
  ].join("\n\n")}\n`;

/** The same directory for the description of a call in the reference documentation. */
export const integrationsDirectory = (integrations: readonly (readonly [string, Integration])[]): string =>
  [
    'Make a bot of the type "Incoming webhook", and put its URL together: `/api/v1/external/<integration>?api_key=<the bot\'s key>&stream=<channel>`. Enter it in the service:',
    ...integrations.map(
      ([name, { title, summary, setUp }]) =>
        `**${title}** (\`/api/v1/external/${name}\`): ${summary}\n\n${setUp.map((step, index) => `${index + 1}. ${step}`).join("\n")}`,
    ),
  ].join("\n\n");

const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\w -]/g, "")
    .replaceAll(" ", "-");

function sectionOf([name, integration]: readonly [string, Integration]) {
  const { title, summary, setUp, events, parameters, configuration, keepsPayload, deliveryId, isSigned } = integration;
  const steps = ["Make a bot and its URL, as [above](#set-up):", ...setUp];
  return [
    `### ${title}`,
    summary,
    `1. ${steps[0]}\n\n   \`\`\`text\n   ${urlOf(name)}\n   \`\`\`\n${setUp.map((step, index) => `${index + 2}. ${step}`).join("\n")}`,
    ...(events ? [`Events: ${events.map((event) => `\`${event}\``).join(", ")}.`] : []),
    ...(parameters
      ? [
          Object.entries(parameters)
            .map(([parameter, meaning]) => `\`${parameter}\` in the URL: ${meaning}`)
            .join("\n\n"),
        ]
      : []),
    ...(configuration
      ? [
          `In [the bot's configuration](#the-bots-configuration):\n\n${Object.entries(configuration)
            .map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
            .join("\n")}`,
        ]
      : []),
    ...(keepsPayload
      ? [
          "The last payload is kept in the table for seven days, shortened to 1.8 KB when compressed. The bot's owner and administrators can see it.",
        ]
      : []),
    ...(isSigned ? [`${title} signs its requests: [verify them](#signatures) with a secret.`] : []),
    ...(deliveryId ? ["A delivery that is sent again within a day is posted once."] : []),
  ].join("\n\n");
}

const introduction = `# Incoming integrations

<!-- Written by \`npm run docs\` from the declarations in shared/integrations/services. -->

Builds, alerts, tickets and deployments post into the chat. A service is configured with one URL, to which it sends its
events; what it sends becomes messages of a bot.

## Set-up

1. Create a bot of the type "Incoming webhook", in the web client under "Settings", "Bots", or by \`POST /api/v1/bots\` with
   \`bot_type=2\`. It has an API key.
2. The same page puts the URL together, and shows what each event looks like. It is \`https://<your server>/api/v1/external/<integration>?api_key=<the bot's key>\`, and the parameters
   below. Whoever knows the URL can post as the bot: a new key of the bot makes the URL void.
3. Enter the URL in the service, as the integration's section says.

| parameter | meaning |
|---|---|
| \`stream\` | the channel's name or ID; without it, messages go directly to the bot's owner |
| \`topic\` | the topic of all messages, instead of one that the integration chooses |
| \`only_events\` | a JSON list of events to post, such as \`["pull_request*"]\`; \`*\` stands for any text |
| \`exclude_events\` | a JSON list of events not to post |

Values are [percent-encoded](https://developer.mozilla.org/docs/Glossary/Percent-encoding), for example \`stream=my%20alerts\`.

A request has at most 1 MB, and a bot may make as many as any account. What a service sends mentions nobody, and is
escaped or quoted. Events that an integration does not know are accepted and not posted. The bot's owner is told once if
requests cannot be read, or if the channel does not exist or is closed to the bot.

## The bot's configuration

The web client's settings set what an integration reads of the bot's configuration; so does \`PATCH /api/v1/bots/<ID>\` with
\`config_data={"<name>": "<value>"}\`. An empty value removes an entry.

## Signatures

Some services sign what they send with a secret, so that knowing the URL is not enough. Store it as \`webhook_secret\` in
[the bot's configuration](#the-bots-configuration). From then on, requests that are not signed with it are refused.`;
