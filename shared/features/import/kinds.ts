import { type Archive, ArchiveError } from "./archive.ts";
import { isDiscordExport } from "./discord/format.ts";
import { planDiscordImport } from "./discord/plan.ts";
import { isMattermostExport } from "./mattermost/format.ts";
import { planMattermostImport } from "./mattermost/plan.ts";
import type { ImportPlan, OwnerOptions } from "./plan.ts";
import { isRocketChatDump } from "./rocketchat/format.ts";
import { planRocketChatImport } from "./rocketchat/plan.ts";
import { slackServers } from "./slack/fetch.ts";
import { isSlackExport } from "./slack/format.ts";
import { planSlackImport } from "./slack/plan.ts";
import { isZulipExport } from "./zulip/format.ts";
import { planZulipImport } from "./zulip/plan.ts";

type Kind = "Slack" | "Zulip" | "Mattermost" | "Rocket.Chat" | "Discord";

/** Recognizes what wrote an archive, before anything is created for it. */
export function kindOf({ folder }: Archive): Kind {
  if (isSlackExport(folder)) return "Slack";
  if (isZulipExport(folder)) return "Zulip";
  if (isMattermostExport(folder)) return "Mattermost";
  if (isRocketChatDump(folder)) return "Rocket.Chat";
  if (isDiscordExport(folder)) return "Discord";
  throw new ArchiveError(
    "This is not an export of Slack (users.json and channels.json), Zulip (realm.json), Mattermost (import.jsonl), Rocket.Chat (a dump with users.bson and rocketchat_room.bson) or DiscordChatExporter (JSON files with a guild, a channel and messages)",
  );
}

/** What any kind of archive may need to be planned. */
interface PlanOptions extends OwnerOptions {
  secret: string;
  now: number;
  oldUrl: string | undefined;
  withFiles: boolean;
  isRehearsal: boolean;
  /** Slack's, for files whose links have expired, and for custom emoji. */
  slackToken: string | undefined;
}

const planners: Record<Kind, (folder: string, options: PlanOptions) => Promise<ImportPlan>> = {
  Slack: (folder, { slackToken: token, ...options }) =>
    planSlackImport(folder, { ...options, token, servers: slackServers }),
  Zulip: async (folder, options) => planZulipImport(folder, options),
  Mattermost: planMattermostImport,
  "Rocket.Chat": planRocketChatImport,
  Discord: planDiscordImport,
};

/** What an archive becomes. The plan can be used once. */
export async function planArchive(archive: Archive, options: PlanOptions): Promise<ImportPlan> {
  const plan = await planners[kindOf(archive)](archive.folder, options);
  for (const link of archive.links) plan.report.lacks("links in the archive, which may lead anywhere", 1, link);
  return plan;
}

/** Slack calls an archive "Acme Slack export Jan 1 2024 - Feb 1 2024.zip". */
export const nameInFileName = (fileName: string): string => /^(.+) Slack export /.exec(fileName)?.[1] ?? "";
