import {
  bool,
  int,
  list,
  nullable,
  oneOfInts,
  optional,
  strictObject,
  string,
  text,
  type Values,
  withDefault,
  withNote,
} from "../../base/schema/params.ts";
import { roleNumbers, roles } from "../../base/schema/roles.ts";
import type { RequestedInvitation } from "./access.ts";

/** Ten days. */
const defaultExpiryMinutes = 14_400;
/** A hundred years. */
const maxExpiryMinutes = 52_560_000;

/** The parameters that email invitations and invitation links have in common. */
export const invitationParams = {
  invite_expires_in_minutes: withNote(
    withDefault(nullable(int({ min: 1, max: maxExpiryMinutes })), defaultExpiryMinutes),
    "Minutes until the invitation expires; null: never.",
  ),
  invite_as: withDefault(oneOfInts(roleNumbers), roles.member),
  group_ids: withNote(
    optional(nullable(list(int(), { max: 100 }))),
    "User groups to which people who accept are added.",
  ),
  include_realm_default_subscriptions: withNote(
    withDefault(bool(), false),
    "Whether people who accept are also subscribed to the default channels.",
  ),
  welcome_message_custom_text: withNote(
    optional(nullable(string({ max: 8000 }))),
    "The text of Welcome Bot's message, instead of the organization's. For administrators.",
  ),
};
export const channelIdsParam = () => list(int(), { max: 500 });

type InvitationParams = Values<typeof invitationParams> & { stream_ids?: readonly number[] | null | undefined };

export const toRequestedInvitation = (params: InvitationParams): RequestedInvitation => ({
  role: params.invite_as,
  channelIds: [...new Set(params.stream_ids ?? [])],
  groupIds: [...new Set(params.group_ids ?? [])],
  welcomeText: params.welcome_message_custom_text ?? undefined,
});

/** An invitation as the API shows it: `email` of one that was mailed, `link_url` of a link. */
export const inviteObject = strictObject({
  id: int(),
  invited_by_user_id: int(),
  invited: int(),
  expiry_date: nullable(int()),
  invited_as: int(),
  is_multiuse: bool(),
  email: optional(text()),
  notify_referrer_on_join: optional(bool()),
  link_url: optional(text()),
});
