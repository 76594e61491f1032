import { type Act, act, withPreparation } from "./act.ts";

/** The ID of a system group, which every organization has. */
const systemGroupId = 3;

/** Users, bots and groups. */
export const peopleActs: readonly Act[] = [
  act("users", "GET /users"),
  act("a user", "GET /users/{other.id}"),
  act("own user", "GET /users/me"),
  act(
    "create a user",
    "POST /users",
    ({ suffix }) => ({ email: `made-${suffix}@globe.test`, password: "once more unto the breach", full_name: "Made" }),
    "owner",
  ),
  act("change a user", "PATCH /users/{create a user.user_id}", () => ({ full_name: "Made Anew" }), "owner"),
  act("deactivate a user", "DELETE /users/{create a user.user_id}", undefined, "owner"),
  act("reactivate a user", "POST /users/{create a user.user_id}/reactivate", undefined, "owner"),
  act("regenerate own API key", "POST /users/me/api_key/regenerate", undefined, "leaver"),
  withPreparation(
    ({ replies, leaver }) => {
      leaver.apiKey = replies["regenerate own API key"].api_key;
    },
    act("deactivate own user", "DELETE /users/me", undefined, "leaver"),
  ),
  act("set a status", "POST /users/me/status", () => ({ status_text: "out" })),
  act("a user's status", "GET /users/{member.id}/status"),
  act("set the status of another user", "POST /users/{other.id}/status", () => ({ status_text: "in" }), "owner"),
  act("change a setting", "PATCH /settings", () => ({ twenty_four_hour_time: true })),
  act("mute a user", "POST /users/me/muted_users/{other.id}"),
  act("unmute a user", "DELETE /users/me/muted_users/{other.id}"),
  act("add alert words", "POST /users/me/alert_words", () => ({ alert_words: ["tea"] })),
  act("alert words", "GET /users/me/alert_words"),
  act("remove alert words", "DELETE /users/me/alert_words", () => ({ alert_words: ["tea"] })),
  act(
    "create a bot",
    "POST /bots",
    ({ suffix }) => ({ full_name: `Bot ${suffix}`, short_name: `bot${suffix}` }),
    "owner",
  ),
  act("bots", "GET /bots", undefined, "owner"),
  act("change a bot", "PATCH /bots/{create a bot.user_id}", () => ({ default_all_public_streams: true }), "owner"),
  act("change display settings (legacy endpoint)", "PATCH /settings/display", () => ({ color_scheme: 2 })),
  act("change notification settings (legacy endpoint)", "PATCH /settings/notifications", () => ({
    enable_sounds: false,
  })),
  act("put bot storage", "PUT /bot_storage", () => ({ storage: { tasks: "3" } })),
  act("get bot storage", "GET /bot_storage"),
  act("delete bot storage", "DELETE /bot_storage"),
  act("regenerate a bot's API key", "POST /bots/{create a bot.user_id}/api_key/regenerate", undefined, "owner"),
  act("deactivate a bot", "DELETE /bots/{create a bot.user_id}", undefined, "owner"),
  act(
    "create a group",
    "POST /user_groups/create",
    ({ suffix, other }) => ({ name: `group ${suffix}`, description: "", members: [other.id] }),
    "owner",
  ),
  act("groups", "GET /user_groups"),
  act("a group's members", "GET /user_groups/{create a group.group_id}/members"),
  act("check whether a user is a member", "GET /user_groups/{create a group.group_id}/members/{other.id}"),
  act("a group's subgroups", "GET /user_groups/{create a group.group_id}/subgroups"),
  act(
    "change a group's members",
    "POST /user_groups/{create a group.group_id}/members",
    ({ member }) => ({ add: [member.id] }),
    "owner",
  ),
  act(
    "change a group's subgroups",
    "POST /user_groups/{create a group.group_id}/subgroups",
    () => ({ add: [systemGroupId] }),
    "owner",
  ),
  act("change a group", "PATCH /user_groups/{create a group.group_id}", () => ({ description: "d" }), "owner"),
  act("deactivate a group", "POST /user_groups/{create a group.group_id}/deactivate", undefined, "owner"),
  act(
    "invite by e-mail",
    "POST /invites",
    ({ suffix }) => ({ invitee_emails: `guest-${suffix}@globe.test`, stream_ids: [] }),
    "owner",
  ),
  act("create an invitation link", "POST /invites/multiuse", undefined, "owner"),
  act("invitations", "GET /invites", undefined, "owner"),
  act("resend an invitation", "POST /invites/{invitations.invites.0.id}/resend", undefined, "owner"),
  act("revoke an invitation", "DELETE /invites/{invitations.invites.0.id}", undefined, "owner"),
  act("revoke an invitation link", "DELETE /invites/multiuse/{invitations.invites.1.id}", undefined, "owner"),
  act("send a password reset", "POST /users/{other.id}/password_reset", undefined, "owner"),
];
