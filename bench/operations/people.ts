import { type Operation, operation, withPreparation } from "./operation.ts";

/** The ID of a system group, which every organization has. */
const systemGroupId = 3;

/** Users, bots and groups. */
export const peopleOperations: readonly Operation[] = [
  operation("users", "GET /users"),
  operation("a user", "GET /users/{other.id}"),
  operation("own user", "GET /users/me"),
  operation(
    "create a user",
    "POST /users",
    ({ suffix }) => ({ email: `made-${suffix}@globe.test`, password: "once more unto the breach", full_name: "Made" }),
    "owner",
  ),
  operation("change a user", "PATCH /users/{create a user.user_id}", () => ({ full_name: "Made Anew" }), "owner"),
  operation("deactivate a user", "DELETE /users/{create a user.user_id}", undefined, "owner"),
  operation("reactivate a user", "POST /users/{create a user.user_id}/reactivate", undefined, "owner"),
  operation("regenerate own API key", "POST /users/me/api_key/regenerate", undefined, "leaver"),
  withPreparation(
    ({ replies, leaver }) => {
      leaver.apiKey = replies["regenerate own API key"].api_key;
    },
    operation("deactivate own user", "DELETE /users/me", undefined, "leaver"),
  ),
  operation("set a status", "POST /users/me/status", () => ({ status_text: "out" })),
  operation("a user's status", "GET /users/{member.id}/status"),
  operation("set the status of another user", "POST /users/{other.id}/status", () => ({ status_text: "in" }), "owner"),
  operation("change a setting", "PATCH /settings", () => ({ twenty_four_hour_time: true })),
  operation("mute a user", "POST /users/me/muted_users/{other.id}"),
  operation("unmute a user", "DELETE /users/me/muted_users/{other.id}"),
  operation("add alert words", "POST /users/me/alert_words", () => ({ alert_words: ["tea"] })),
  operation("alert words", "GET /users/me/alert_words"),
  operation("remove alert words", "DELETE /users/me/alert_words", () => ({ alert_words: ["tea"] })),
  operation(
    "create a bot",
    "POST /bots",
    ({ suffix }) => ({ full_name: `Bot ${suffix}`, short_name: `bot${suffix}` }),
    "owner",
  ),
  operation("bots", "GET /bots", undefined, "owner"),
  operation("a bot's API key", "GET /bots/{create a bot.user_id}/api_key", undefined, "owner"),
  operation(
    "change a bot",
    "PATCH /bots/{create a bot.user_id}",
    () => ({ default_all_public_streams: true }),
    "owner",
  ),
  operation("change display settings (legacy endpoint)", "PATCH /settings/display", () => ({ color_scheme: 2 })),
  operation("change notification settings (legacy endpoint)", "PATCH /settings/notifications", () => ({
    enable_sounds: false,
  })),
  operation("put bot storage", "PUT /bot_storage", () => ({ storage: { tasks: "3" } })),
  operation("get bot storage", "GET /bot_storage"),
  operation("delete bot storage", "DELETE /bot_storage"),
  operation("regenerate a bot's API key", "POST /bots/{create a bot.user_id}/api_key/regenerate", undefined, "owner"),
  operation("deactivate a bot", "DELETE /bots/{create a bot.user_id}", undefined, "owner"),
  operation(
    "create a group",
    "POST /user_groups/create",
    ({ suffix, other }) => ({ name: `group ${suffix}`, description: "", members: [other.id] }),
    "owner",
  ),
  operation("groups", "GET /user_groups"),
  operation("a group's members", "GET /user_groups/{create a group.group_id}/members"),
  operation("check whether a user is a member", "GET /user_groups/{create a group.group_id}/members/{other.id}"),
  operation("a group's subgroups", "GET /user_groups/{create a group.group_id}/subgroups"),
  operation(
    "change a group's members",
    "POST /user_groups/{create a group.group_id}/members",
    ({ member }) => ({ add: [member.id] }),
    "owner",
  ),
  operation(
    "change a group's subgroups",
    "POST /user_groups/{create a group.group_id}/subgroups",
    () => ({ add: [systemGroupId] }),
    "owner",
  ),
  operation("change a group", "PATCH /user_groups/{create a group.group_id}", () => ({ description: "d" }), "owner"),
  operation("deactivate a group", "POST /user_groups/{create a group.group_id}/deactivate", undefined, "owner"),
  operation(
    "invite by email",
    "POST /invites",
    ({ suffix }) => ({ invitee_emails: `guest-${suffix}@globe.test`, stream_ids: [] }),
    "owner",
  ),
  operation("create an invitation link", "POST /invites/multiuse", undefined, "owner"),
  operation("invitations", "GET /invites", undefined, "owner"),
  operation("resend an invitation", "POST /invites/{invitations.invites.0.id}/resend", undefined, "owner"),
  operation("revoke an invitation", "DELETE /invites/{invitations.invites.0.id}", undefined, "owner"),
  operation("revoke an invitation link", "DELETE /invites/multiuse/{invitations.invites.1.id}", undefined, "owner"),
  operation("send a password reset", "POST /users/{other.id}/password_reset", undefined, "owner"),
];
