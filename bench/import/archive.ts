import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { variedText } from "../texts.ts";

/**
 * Writes an archive as Zulip's export does, of an organization as large as wanted, the same in each run: people who talk in
 * channels and directly, with mentions, reactions, edits, files, and what each of them has read.
 */

interface ArchiveSize {
  people: number;
  messages: number;
}

const messagesPerFile = 1000;
const peoplePerChannel = 30;
/** One message in so many. */
const every = { general: 100, direct: 4, reaction: 5, mention: 25, edit: 30, file: 100, starred: 50, unread: 200 };
const begin = 1_600_000_000;
const generalId = 1;
const ids = { user: 1000, channelRecipient: 100_000, userRecipient: 500_000, group: 900_000 };

/** Pseudo-random numbers, the same in each run. */
const numberFor = (seed: number, below: number): number =>
  (Math.imul(seed ^ (seed >>> 15), 2_654_435_761) >>> 0) % below;

export function writeArchive(folder: string, { people, messages }: ArchiveSize): void {
  const channels = Math.max(1, Math.floor(people / 10));
  const userIds = Array.from({ length: people }, (_, index) => ids.user + index);
  /** Of the channels besides the one in which everybody is. */
  const subscribersOf = (channelId: number): number[] =>
    channelId === generalId
      ? userIds
      : [...new Set(Array.from({ length: peoplePerChannel }, (_, n) => numberFor(channelId * 1000 + n, people)))].map(
          (index) => ids.user + index,
        );
  const channelIds = Array.from({ length: channels }, (_, index) => generalId + index);
  const subscribers = new Map(channelIds.map((id) => [id, subscribersOf(id)]));
  const writeJson = (name: string, content: unknown) => writeFileSync(join(folder, name), JSON.stringify(content));

  mkdirSync(join(folder, "uploads"), { recursive: true });
  const reactions: object[] = [];
  const attachments: object[] = [];
  const records: object[] = [];
  for (let first = 1, file = 1; first <= messages; first += messagesPerFile, file++) {
    const zerver_message: object[] = [];
    const zerver_usermessage: object[] = [];
    for (let id = first; id < first + messagesPerFile && id <= messages; id++) {
      const isDirect = id % every.direct === 0;
      const sender = ids.user + numberFor(id, people);
      const partner = ids.user + numberFor(id + 7, people);
      const channelId =
        id % every.general === 1 || channels === 1 ? generalId : generalId + 1 + numberFor(id + 3, channels - 1);
      const readers = isDirect ? [...new Set([sender, partner])] : (subscribers.get(channelId) as number[]);
      const mentioned = id % every.mention === 1 ? readers[numberFor(id + 11, readers.length)] : undefined;
      const path_id = `2/ab/${id}/plan.txt`;
      const hasFile = id % every.file === 2;
      const content = [
        variedText(id),
        ...(mentioned === undefined ? [] : [`@**Person ${mentioned}|${mentioned}**`]),
        ...(hasFile ? [`[plan.txt](/user_uploads/${path_id})`] : []),
      ].join(" ");
      const date_sent = begin + id * 60;
      const isEdited = id % every.edit === 3;
      const edits = [{ user_id: sender, timestamp: date_sent + 30, prev_content: variedText(id + 1) }];
      zerver_message.push({
        ...{ id, sender, realm: 2, content, rendered_content: `<p>${content}</p>`, rendered_content_version: 1 },
        recipient: isDirect ? ids.userRecipient + partner : ids.channelRecipient + channelId,
        ...{ subject: isDirect ? "" : `subject ${numberFor(id >> 5, 50)}`, date_sent, sending_client: 1 },
        ...{ last_edit_time: isEdited ? date_sent + 30 : null, edit_history: isEdited ? JSON.stringify(edits) : null },
        ...{ has_attachment: hasFile, has_image: false, has_link: hasFile },
      });
      for (const [index, user_profile] of readers.entries()) {
        const isUnread = user_profile !== sender && (id > 0.99 * messages || (id + index) % every.unread === 0);
        const isStarred = (id * 31 + index) % (every.starred * readers.length) === 0;
        const flags_mask = (isUnread ? 0 : 1) + (isStarred ? 2 : 0) + (user_profile === mentioned ? 8 : 0);
        zerver_usermessage.push({ id: zerver_usermessage.length + 1, user_profile, message: id, flags_mask });
      }
      if (id % every.reaction === 4)
        reactions.push({
          ...{ id, message: id, user_profile: readers[0], emoji_name: "+1", emoji_code: "1f44d" },
          reaction_type: "unicode_emoji",
        });
      if (!hasFile) continue;
      attachments.push({ id, path_id, file_name: "plan.txt", owner: sender, create_time: date_sent, messages: [id] });
      records.push({ path: path_id, s3_path: path_id, user_profile_id: sender });
      mkdirSync(join(folder, "uploads", path_id, ".."), { recursive: true });
      writeFileSync(join(folder, "uploads", path_id), variedText(id));
    }
    writeJson(`messages-${String(file).padStart(6, "0")}.json`, { zerver_message, zerver_usermessage });
  }
  writeJson("uploads/records.json", records);
  writeJson("attachment.json", { zerver_attachment: attachments });
  writeJson("migration_status.json", { migrations_by_app: {}, zulip_version: "11.2" });
  writeJson("realm.json", {
    zerver_realm: [{ id: 2, name: "Harfleur", date_created: begin }],
    zerver_userprofile: userIds.map((id, index) => ({
      ...{ id, full_name: `Person ${id}`, delivery_email: `person-${id}@globe.test`, email: `person-${id}@globe.test` },
      ...{ role: index === 0 ? 100 : 400, is_active: true, is_bot: false, date_joined: begin, avatar_source: "G" },
    })),
    zerver_stream: channelIds.map((id) => ({
      ...{ id, name: `channel ${id}`, description: "", date_created: begin, invite_only: id % 5 === 4 },
      history_public_to_subscribers: true,
    })),
    zerver_recipient: [
      ...channelIds.map((id) => ({ id: ids.channelRecipient + id, type: 2, type_id: id })),
      ...userIds.map((id) => ({ id: ids.userRecipient + id, type: 1, type_id: id })),
    ],
    zerver_subscription: channelIds.flatMap((id) =>
      (subscribers.get(id) as number[]).map((user_profile) => ({
        ...{ user_profile, recipient: ids.channelRecipient + id, active: true, color: "#76ce90" },
      })),
    ),
    zerver_client: [{ id: 1, name: "website" }],
    zerver_reaction: reactions,
  });
}
