import { createHash } from "node:crypto";
import { placeholderDomain, realmId } from "../../../base/limits.ts";
import { effectiveUserSettings } from "../../../base/schema/user-settings.ts";
import { toProfileDataWire } from "../../../core/profile-fields/wire.ts";
import { maySeeEmail, placeholderEmail, visibleEmail } from "../../../services/identity/visibility.ts";
import { profileFieldsKey, readShortList } from "../../../store/organization/short-lists.ts";
import { type Bot, findBots } from "../../../store/users/bots.ts";
import { findSettingsOfUsers } from "../../../store/users/user-settings.ts";
import type { User } from "../../../store/users/users.ts";
import type { Context } from "../context.ts";
import type { Phase } from "../page.ts";
import { channelIdOf, recipientId, recipientRow, recipientTypes, userIdOf } from "./references.ts";
import { toSettingColumns } from "./settings.ts";

const usersPerPage = 500;

/** Everybody's profile; the settings of those who consent, and for others the settings of new users. */
export const usersPhase: Phase = async (at, context) => {
  const { lists, users, realm } = context;
  const chunk = users.slice(at, at + usersPerPage);
  const [fields, settings, bots] = await Promise.all([
    readShortList(profileFieldsKey),
    findSettingsOfUsers(chunk.map(({ id }) => id)),
    findBots(chunk.filter(({ botType }) => botType !== undefined).map(({ id }) => id)),
  ]);
  const consenting = new Set(context.consentingIds);
  const defaults = effectiveUserSettings(realm.userDefaults ?? {});
  const fieldIds = await lists.ids("zerver_customprofilefield");
  for (const [index, user] of chunk.entries()) {
    const { id } = user;
    if (user.isSystemBot) {
      const recipient_id = recipientId(recipientTypes.user, id);
      await lists.add("zerver_userprofile_crossrealm", [{ id, email: user.email, recipient_id }]);
      continue;
    }
    const own = consenting.has(id) ? effectiveUserSettings(settings[index]) : defaults;
    const bot = bots.find((candidate) => candidate.id === id);
    const row = {
      ...toSettingColumns(own),
      ...(await toUserRow(user, bot, context)),
    };
    await lists.add(row.is_mirror_dummy ? "zerver_userprofile_mirrordummy" : "zerver_userprofile", [row]);
    await lists.add("zerver_recipient", [recipientRow(recipientTypes.user, id)]);
    await lists.add("zerver_subscription", [
      {
        ...{ user_profile: id, recipient: recipientId(recipientTypes.user, id) },
        ...{ active: true, is_user_active: row.is_active },
      },
    ]);
    const { profile_data = {} } = toProfileDataWire(user, fields.entries);
    await lists.add(
      "zerver_customprofilefieldvalue",
      Object.entries(profile_data)
        .filter(([field]) => fieldIds.has(Number(field)))
        .map(([field, { value, rendered_value = null }]) => {
          const stored = user.profileValues?.[field]?.value;
          return {
            ...{ user_profile: id, field: Number(field), rendered_value },
            value: Array.isArray(stored) ? JSON.stringify(stored.filter((each) => userIdOf(each, context))) : value,
          };
        }),
    );
  }
  return { next: at + usersPerPage < users.length ? at + usersPerPage : undefined };
};

async function toUserRow(user: User, bot: Bot | undefined, context: Context) {
  const { id, emailVisibility = 1 } = user;
  const isBot = user.botType !== undefined;
  // Whoever has no address that may be exported cannot sign in. Zulip calls this a mirror dummy.
  const isDummy = !isBot && !maySeeEmail(context.administrator, user);
  return {
    id,
    realm: realmId,
    delivery_email: isDummy ? dummyEmail(user) : validEmail(user.email, id),
    email: validEmail(visibleEmail(user), id),
    ...{ full_name: user.fullName, date_joined: user.joinedAt, last_login: null, last_reminder: null },
    ...{ role: user.role, is_active: user.active && !isDummy, is_mirror_dummy: isDummy },
    ...{ is_bot: isBot, bot_type: user.botType ?? null, bot_owner: userIdOf(user.ownerId, context) },
    default_sending_stream: await channelIdOf(bot?.defaultSendingChannel ?? null, context),
    default_events_register_stream: await channelIdOf(bot?.defaultEventsRegisterChannel ?? null, context),
    default_all_public_streams: bot?.defaultAllPublicStreams ?? false,
    ...{ timezone: user.timezone, email_address_visibility: emailVisibility },
    avatar_source: user.avatarFile === undefined ? "G" : "U",
    avatar_version: user.avatarVersion,
    ...{ long_term_idle: false, last_active_message_id: null, user_permissions: [], groups: [] },
  };
}

/** Zulip's importer stops at an address that Django's check of addresses refuses. */
function validEmail(email: string, id: number): string {
  const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
  const local = "[-!#$%&'*+/=?^_`{}|~0-9a-z]+";
  const valid = new RegExp(`^${local}(?:\\.${local})*@(?:${label}\\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$`, "i");
  return valid.test(email) ? email : placeholderEmail(id);
}

/** An address that says nothing of the real one, with the beginning by which Zulip's own exports mark such addresses. */
const dummyEmail = ({ id }: User) =>
  `exported-user-${createHash("sha256").update(String(id)).digest("hex").slice(0, 24)}@${placeholderDomain}`;
