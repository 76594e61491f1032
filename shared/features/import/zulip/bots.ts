import { creationLimits } from "../../../base/creation-limits.ts";
import { limits } from "../../../base/limits.ts";
import { lengthOf } from "../../../base/schema/params.ts";
import { botTypes } from "../../../base/schema/roles.ts";
import { type BotService, slackInterface } from "../../../store/users/bots.ts";
import { sizeInBytes } from "../../bot-storage/bot-storage.ts";
import { isPayloadUrl } from "../../bots/access.ts";
import { maxConfigEntries, maxConfigValueLength } from "../../bots/params.ts";
import { tokenFor } from "../names.ts";
import type { ImportReport } from "../report.ts";
import type { ZulipChannels } from "./channels.ts";
import type { ZulipExport } from "./format.ts";
import type { ZulipPeople } from "./people.ts";

/**
 * Gives bots their default channels, and outgoing webhooks the services to which they send, with the tokens that these know, or
 * new ones where the export has none.
 */
export function completeBots(
  { tables }: ZulipExport,
  people: ZulipPeople,
  channels: ZulipChannels,
  report: ImportReport,
  secret: string,
): void {
  for (const user of tables.zerver_userprofile) {
    const member = people.find(user.id);
    if (member?.botType === undefined) continue;
    member.bot = {
      defaultSendingChannel: channels.idOf(user.default_sending_stream) ?? null,
      defaultEventsRegisterChannel: channels.idOf(user.default_events_register_stream) ?? null,
      defaultAllPublicStreams: user.default_all_public_streams,
    };
  }
  for (const { bot_profile, key, value } of tables.zerver_botconfigdata) {
    const member = people.find(bot_profile);
    if (member?.botType === undefined) continue;
    const { configData = {} } = member.bot ?? {};
    if (lengthOf(value) > maxConfigValueLength || Object.keys(configData).length >= maxConfigEntries) {
      report.lacks("entries of bots' configurations beyond their limits", 1, member.fullName);
      continue;
    }
    // Not assigned: a name may be that of a property of all objects.
    member.bot = { ...member.bot, configData: Object.fromEntries([...Object.entries(configData), [key, value]]) };
    report.comes("entries of bots' configurations");
  }
  for (const row of tables.zerver_service) {
    const member = people.find(row.user_profile);
    if (member?.botType !== botTypes.outgoingWebhook) continue;
    if (!isPayloadUrl(row.base_url)) {
      report.lacks("services of outgoing webhooks without an address", 1, member.fullName);
      continue;
    }
    const service: BotService = {
      ...{
        name: row.name || member.fullName,
        baseUrl: row.base_url,
        token: row.token || tokenFor(`${member.id} ${row.name}`, secret),
      },
      interface: row.interface === slackInterface ? slackInterface : 1,
    };
    member.bot = { ...member.bot, services: [...(member.bot?.services ?? []), service] };
    report.comes("services of outgoing webhooks");
  }
}

/** What bots have stored, within the limits of their storage. */
export function botStorageOf(
  { tables }: ZulipExport,
  people: ZulipPeople,
  report: ImportReport,
): Map<number, Map<string, string>> {
  const storages = new Map<number, Map<string, string>>();
  const sizes = new Map<number, number>();
  for (const { bot_profile, key, value } of tables.zerver_botstoragedata) {
    const member = people.find(bot_profile);
    if (member?.botType === undefined) continue;
    const storage = storages.get(member.id) ?? new Map<string, string>();
    const size = (sizes.get(member.id) ?? 0) + sizeInBytes(key, value);
    const fits =
      Buffer.byteLength(key) <= limits.botStorageNameBytes &&
      Buffer.byteLength(value) <= limits.botStorageValueBytes &&
      size <= limits.botStorageBytes &&
      storage.size < creationLimits.botStorageEntry.max;
    if (!fits || storage.has(key)) {
      report.lacks("entries of bots' storage beyond its limits", 1, member.fullName);
      continue;
    }
    sizes.set(member.id, size);
    storages.set(member.id, storage.set(key, value));
    report.comes("entries of bots' storage");
  }
  return storages;
}
