import { type Act, act, after } from "./act.ts";

/** Users, bots and groups. */
export const peopleActs: readonly Act[] = [
  act("users", "GET /users"),
  act("a user", "GET /users/{other.id}"),
  act("oneself", "GET /users/me"),
  act(
    "create a user",
    "POST /users",
    ({ run }) => ({ email: `made-${run}@globe.test`, password: "once more unto the breach", full_name: "Made" }),
    "owner",
  ),
  act("change a user", "PATCH /users/{create a user.user_id}", () => ({ full_name: "Made Anew" }), "owner"),
  act("deactivate a user", "DELETE /users/{create a user.user_id}", undefined, "owner"),
  act("reactivate a user", "POST /users/{create a user.user_id}/reactivate", undefined, "owner"),
  act("a new key of one's own", "POST /users/me/api_key/regenerate", undefined, "leaver"),
  after(
    ({ got, leaver }) => {
      leaver.apiKey = got["a new key of one's own"].api_key;
    },
    act("deactivate oneself", "DELETE /users/me", undefined, "leaver"),
  ),
  act("set a status", "POST /users/me/status", () => ({ status_text: "out" })),
  act("a status", "GET /users/{member.id}/status"),
  act("set another's status", "POST /users/{other.id}/status", () => ({ status_text: "in" }), "owner"),
  act("change a setting", "PATCH /settings", () => ({ twenty_four_hour_time: true })),
  act("mute a user", "POST /users/me/muted_users/{other.id}"),
  act("unmute a user", "DELETE /users/me/muted_users/{other.id}"),
  act("add alert words", "POST /users/me/alert_words", () => ({ alert_words: ["tea"] })),
  act("alert words", "GET /users/me/alert_words"),
  act("remove alert words", "DELETE /users/me/alert_words", () => ({ alert_words: ["tea"] })),
  act("create a bot", "POST /bots", ({ run }) => ({ full_name: `Bot ${run}`, short_name: `bot${run}` }), "owner"),
  act("bots", "GET /bots", undefined, "owner"),
  act("change a bot", "PATCH /bots/{create a bot.user_id}", () => ({ default_all_public_streams: true }), "owner"),
  act("a bot's new key", "POST /bots/{create a bot.user_id}/api_key/regenerate", undefined, "owner"),
  act("deactivate a bot", "DELETE /bots/{create a bot.user_id}", undefined, "owner"),
  act(
    "create a group",
    "POST /user_groups/create",
    ({ run, other }) => ({ name: `group ${run}`, description: "", members: [other.id] }),
    "owner",
  ),
  act("groups", "GET /user_groups"),
  act("a group's members", "GET /user_groups/{create a group.group_id}/members"),
  act("is someone a member", "GET /user_groups/{create a group.group_id}/members/{other.id}"),
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
    () => ({ add: [3] }),
    "owner",
  ),
  act("change a group", "PATCH /user_groups/{create a group.group_id}", () => ({ description: "d" }), "owner"),
  act("deactivate a group", "POST /user_groups/{create a group.group_id}/deactivate", undefined, "owner"),
];
