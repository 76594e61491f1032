import { aroundAll, beforeAll, describe, expect, test } from "vitest";
import { isEndpoint, loadFleet } from "../../infra/fleet.ts";
import { members } from "../../shared/base/schema/system-groups.ts";
import { withSettings } from "../support/organization.ts";
import { aBot, anAddress } from "../support/people.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/**
 * A guest whom `can_access_all_users_group` excludes names people in every parameter that takes one: the replies for a person
 * whom the guest may not access and for one who does not exist are the same.
 */

/** A person as a request names them. */
type Name = number | string;
/** Requests with a name. `takes` lists the kinds of names that the parameter accepts. */
interface Probe {
  takes: readonly ("id" | "address")[];
  send(name: Name): Promise<{ status: number; body: any }>;
  /** Why the reply for a visible person is the same as that for an unknown one. */
  refusesAll?: string;
}

let guest: Person;
let friend: Person;
let stranger: Person;
let admin: Person;
let channel: { id: number; name: string };
let botId: number;
let groupId: number;
let fieldId: number;
let draftId: number;
let scheduledId: number;
const groups = "only members may change groups";
const admins = "only administrators may do so";

beforeAll(async () => {
  [guest, friend, stranger, admin] = await Promise.all([
    aPerson("Barnardine", { role: "guest" }),
    aPerson("Abhorson"),
    aPerson("Escalus"),
    aPerson("Angelo", { role: "owner" }),
  ]);
  channel = await aChannel("prison", [guest, friend]);
  botId = (await aBot(guest)).id;
  groupId = (
    await admin.do("POST", "/user_groups/create", { name: anAddress("g"), description: "", members: [friend.id] })
  ).group_id;
  fieldId = (await admin.do("POST", "/realm/profile_fields", { name: anAddress("f").slice(0, 40), field_type: 6 })).id;
  draftId = (await guest.do("POST", "/drafts", { drafts: [draftTo(friend.id)] })).ids[0];
  scheduledId = (await guest.do("POST", "/scheduled_messages", scheduledTo(friend.id))).scheduled_message_id;
  await Promise.all([friend, stranger].map((person) => person.do("POST", "/users/me/presence", { status: "active" })));
});

const draftTo = (name: Name) => ({ type: "private", to: [name], topic: "", content: "Who's there?" });
const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;
const scheduledTo = (name: Name) => ({
  ...{ type: "direct", to: [name], content: "Who's there?", scheduled_delivery_timestamp: inAnHour() },
});
const call = (method: string, path: string, params?: Record<string, unknown>) => guest.call(method, path, params);
const both = ["id", "address"] as const;
const id = ["id"] as const;
const directMember = (name: Name) => ({ direct_members: [name], direct_subgroups: [] });

const narrowOperators = ["dm", "pm-with", "dm-including", "group-pm-with", "sender"];
/** The probes of a parameter `narrow`, one for each operator that names people. */
const narrowProbes = (endpoint: string, send: (narrow: object[]) => ReturnType<Probe["send"]>) =>
  narrowOperators.map((operator): [string, Probe] => [
    `${endpoint} narrow ${operator}`,
    { takes: both, send: (name) => send([{ operator, operand: name }]) },
  ]);
/** The probes of an endpoint's group settings. */
const settingProbes = (
  endpoint: string,
  names: readonly string[],
  send: (params: object) => ReturnType<Probe["send"]>,
  { isUpdate = true, refusesAll }: { isUpdate?: boolean; refusesAll?: string } = {},
) =>
  names.map((setting): [string, Probe] => [
    `${endpoint} ${setting}`,
    {
      takes: id,
      send: (name) => send({ [setting]: isUpdate ? { new: directMember(name) } : directMember(name) }),
      ...(refusesAll !== undefined && { refusesAll }),
    },
  ]);

const groupSettings = ["add_members_group", "join_group", "leave_group", "manage_group", "mention_group"];
const groupSettingNames = [...groupSettings, "remove_members_group"].map((name) => `can_${name}`);
const channelSettingNames = [
  ...["add_subscribers", "remove_subscribers", "administer_channel", "delete_any_message", "delete_own_message"],
  ...["move_messages_out_of_channel", "move_messages_within_channel", "send_message", "subscribe", "resolve_topics"],
].map((name) => `can_${name}_group`);

const fetchParams = { anchor: "newest", num_before: 1, num_after: 0 };
const probes: Record<string, Probe> = {
  "PATCH /bots/{bot_id} bot_owner_id": {
    takes: id,
    send: (name) => call("PATCH", `/bots/${botId}`, { bot_owner_id: name }),
  },
  ...Object.fromEntries(
    settingProbes(
      "PATCH /streams/{stream_id}",
      channelSettingNames,
      (params) => call("PATCH", `/streams/${channel.id}`, params as Record<string, unknown>),
      { refusesAll: "guests cannot administer channels" },
    ),
  ),
  "POST /drafts drafts": { takes: id, send: (name) => call("POST", "/drafts", { drafts: [draftTo(name)] }) },
  "PATCH /drafts/{draft_id} draft": {
    takes: id,
    send: (name) => call("PATCH", `/drafts/${draftId}`, { draft: draftTo(name) }),
  },
  "POST /invites invitee_emails": {
    takes: ["address"],
    send: (name) => call("POST", "/invites", { invitee_emails: name, stream_ids: [] }),
    refusesAll: "guests cannot invite",
  },
  ...Object.fromEntries([
    ...narrowProbes("GET /messages", (narrow) => call("GET", "/messages", { narrow, ...fetchParams })),
    ...narrowProbes("GET /messages/matches_narrow", (narrow) =>
      call("GET", "/messages/matches_narrow", { narrow, msg_ids: [] }),
    ),
    ...narrowProbes("POST /messages/flags/narrow", (narrow) =>
      call("POST", "/messages/flags/narrow", { narrow, ...fetchParams, op: "add", flag: "starred" }),
    ),
  ]),
  "POST /messages to": {
    takes: both,
    send: (name) => call("POST", "/messages", { type: "direct", to: [name], content: "Who's there?" }),
  },
  "POST /messages/render content": {
    takes: id,
    send: (name) => call("POST", "/messages/render", { content: `@_**|${name}** @**|${name}**` }),
  },
  "POST /scheduled_messages to": {
    takes: id,
    send: (name) => call("POST", "/scheduled_messages", scheduledTo(name)),
  },
  "PATCH /scheduled_messages/{scheduled_message_id} to": {
    takes: id,
    send: (name) => call("PATCH", `/scheduled_messages/${scheduledId}`, { type: "direct", to: [name] }),
  },
  "POST /users/me/muted_users/{muted_user_id} muted_user_id": {
    takes: id,
    send: (name) => call("POST", `/users/me/muted_users/${name}`),
  },
  "DELETE /users/me/muted_users/{muted_user_id} muted_user_id": {
    takes: id,
    send: (name) => call("DELETE", `/users/me/muted_users/${name}`),
  },
  "GET /users/{user_id_or_email}/presence user_id_or_email": {
    takes: both,
    send: (name) => call("GET", `/users/${name}/presence`),
  },
  "PATCH /users/me/profile_data data": {
    takes: id,
    send: (name) => call("PATCH", "/users/me/profile_data", { data: [{ id: fieldId, value: [name] }] }),
  },
  "PATCH /settings email": { takes: ["address"], send: (name) => call("PATCH", "/settings", { email: name }) },
  "GET /users/{user_id}/subscriptions/{stream_id} user_id": {
    takes: id,
    send: (name) => call("GET", `/users/${name}/subscriptions/${channel.id}`),
  },
  "GET /users/{user_id}/channels user_id": { takes: id, send: (name) => call("GET", `/users/${name}/channels`) },
  "DELETE /users/me/subscriptions principals": {
    takes: both,
    send: (name) => call("DELETE", "/users/me/subscriptions", { subscriptions: [channel.name], principals: [name] }),
  },
  "POST /typing to": {
    takes: id,
    send: (name) => call("POST", "/typing", { op: "start", type: "direct", to: [name] }),
  },
  "POST /user_groups/create members": {
    takes: id,
    send: (name) =>
      call("POST", "/user_groups/create", { name: "people of the prison", description: "", members: [name] }),
    refusesAll: groups,
  },
  ...Object.fromEntries([
    ...settingProbes(
      "POST /user_groups/create",
      groupSettingNames,
      (params) =>
        call("POST", "/user_groups/create", { name: "people of the prison", description: "", members: [], ...params }),
      { isUpdate: false, refusesAll: groups },
    ),
    ...settingProbes(
      "PATCH /user_groups/{user_group_id}",
      groupSettingNames,
      (params) => call("PATCH", `/user_groups/${groupId}`, params as Record<string, unknown>),
      { refusesAll: groups },
    ),
  ]),
  "GET /user_groups/{user_group_id}/members/{user_id} user_id": {
    takes: id,
    send: (name) => call("GET", `/user_groups/${groupId}/members/${name}`),
  },
  "POST /user_groups/{user_group_id}/members add": {
    takes: id,
    send: (name) => call("POST", `/user_groups/${groupId}/members`, { add: [name] }),
    refusesAll: groups,
  },
  "POST /user_groups/{user_group_id}/members delete": {
    takes: id,
    send: (name) => call("POST", `/user_groups/${groupId}/members`, { delete: [name] }),
    refusesAll: groups,
  },
  "DELETE /users/{user_id} user_id": { takes: id, send: (name) => call("DELETE", `/users/${name}`) },
  "PATCH /users/{user_id} user_id": {
    takes: both,
    send: (name) => call("PATCH", `/users/${name}`, { full_name: "Lodowick" }),
  },
  "PATCH /users/{user_id} profile_data": {
    takes: id,
    send: (name) => call("PATCH", `/users/${guest.id}`, { profile_data: [{ id: fieldId, value: [name] }] }),
    refusesAll: admins,
  },
  "PATCH /users/{user_id} new_email": {
    takes: ["address"],
    send: (name) => call("PATCH", `/users/${guest.id}`, { new_email: name }),
    refusesAll: admins,
  },
  "GET /users/{user_id}/status user_id": { takes: id, send: (name) => call("GET", `/users/${name}/status`) },
  "GET /users/{user_id} user_id": { takes: both, send: (name) => call("GET", `/users/${name}`) },
  "GET /users user_ids": { takes: id, send: (name) => call("GET", "/users", { user_ids: [name] }) },
  "POST /users/{user_id}/reactivate user_id": { takes: id, send: (name) => call("POST", `/users/${name}/reactivate`) },
  "POST /users/{user_id}/status user_id": {
    takes: id,
    send: (name) => call("POST", `/users/${name}/status`, { status_text: "axed" }),
  },
};

/** A reply, in which `name` is replaced, so that replies for several names can be compared. */
async function replyFor({ send }: Probe, name: Name): Promise<string> {
  const { status, body } = await send(name);
  const named = new RegExp(`(?<![\\w.])${String(name).replaceAll(/[.+]/g, "\\$&")}(?![\\w.])`, "gi");
  // In the body alone: somebody's ID may be the status.
  return `${status} ${JSON.stringify(body).replaceAll(named, "NAME")}`;
}

describe("to a limited guest, a hidden person is like an unknown one", () => {
  aroundAll((runCases) => withSettings({ can_access_all_users_group: members }, runCases));

  test.each(Object.entries(probes).flatMap(([name, probe]) => probe.takes.map((kind) => ({ name, kind, probe }))))(
    "$name, by $kind",
    async ({ kind, probe }) => {
      const nameOf = (person: Person): Name => (kind === "id" ? person.id : person.email);
      const unknown = kind === "id" ? 99_999_999 : anAddress("nobody");

      const replyForUnknown = await replyFor(probe, unknown);

      expect(await replyFor(probe, nameOf(stranger))).toBe(replyForUnknown);
      // Otherwise the request would have been refused for another reason, before anybody was looked up.
      if (probe.refusesAll === undefined) expect(await replyFor(probe, nameOf(friend))).not.toBe(replyForUnknown);
    },
  );
});

/** Parameters that seem to take people, and do not. */
const otherParameters: Record<string, string> = {
  "POST /register narrow": "is compared with the addresses that the messages show",
  "DELETE /users/me/profile_data data": "takes fields",
  "DELETE /agent_keys/{key_id} user_id": "is for administrators",
  "GET /agent_keys/{key_id}/calls user_id": "is for administrators",
  "POST /user_groups/{user_group_id}/subgroups add": "takes groups",
  "POST /user_groups/{user_group_id}/subgroups delete": "takes groups",
};
/** Names of flags and settings. */
const otherNames =
  /^(include_|enable_|display_|email_|realm_name_|left_side_|user_list_|user_group_id$|new_user_input$|message_content_|history_|direct_member_only$)/;
/** Callers that cannot be limited guests. */
const otherCallers = new Set(["anyone", "member", "admin", "owner"]);

test("every parameter that takes people is among the cases", async () => {
  const taking = (await loadFleet()).filter(isEndpoint).flatMap(({ spec }) =>
    otherCallers.has(spec.caller) || spec.waiting !== undefined
      ? []
      : Object.keys(spec.params)
          .filter((name) =>
            /user|member|people|person|principal|subscriber|owner|mail|recipient|^(to|narrow|add|delete|data|profile_data|drafts?)$|_group$/.test(
              name,
            ),
          )
          .filter((name) => !otherNames.test(name))
          .map((name) => `${spec.method} ${spec.path} ${name}`),
  );
  const cases = Object.keys(probes);

  expect(taking.filter((each) => !(each in otherParameters) && !cases.some((name) => name.startsWith(each)))).toEqual(
    [],
  );
  expect(Object.keys(otherParameters).filter((each) => !taking.includes(each))).toEqual([]);
});
