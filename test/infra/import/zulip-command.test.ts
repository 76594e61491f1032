import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { moveIn } from "./moving-in.ts";
import { theTempest } from "./zulip-archive.ts";

const globe = readFileSync(join(import.meta.dirname, "../../support/globe.png"));
const { runImport, startHost } = moveIn("zulip-export-8hf2.tar.gz", theTempest(globe));

test("an export of Zulip becomes an organization, and its people find what they had", async () => {
  expect(await runImport("--dry-run")).toMatch(/6 {2}messages in channels[\s\S]*Nothing has been written/);
  expect(await runImport()).toContain("Milan has been imported. Start it: SKEIN_DATA=");

  const callAs = await startHost();
  const asProspero = await callAs("prospero@milan.example");
  const asMiranda = await callAs("miranda@milan.example");
  const asCaliban = await callAs("caliban@milan.example");

  const everything = { anchor: "newest", num_before: 100, num_after: 0, apply_markdown: false };
  const { messages } = await asMiranda("GET", "/messages", everything);
  // Without that of the private channel from before she was subscribed.
  expect(messages.map(({ id, flags }: any) => [id, flags])).toEqual([
    ...[
      [1, ["read", "starred"]],
      [2, ["mentioned"]],
      [4, ["read"]],
      [5, []],
      [6, ["read"]],
      [7, ["read"]],
      [8, ["read"]],
    ],
  ]);
  expect(messages[0]).toMatchObject({
    ...{ client: "ZulipMobile", subject: "storms", display_recipient: "island", sender_full_name: "Miranda" },
    reactions: [{ emoji_name: "+1", user_id: 1 }, { user_id: 3 }, { emoji_name: "storm", user_id: 1 }],
  });
  expect(messages[2]).toMatchObject({
    content: "As @_**Prospero|1** [said](/#narrow/channel/1-island/topic/storms/near/2):",
    ...{ subject: "✔ storms", last_edit_timestamp: 1704111600 },
  });
  expect(messages[5]).toMatchObject({ sender_full_name: "Notification Bot" });
  expect(messages[5].content).toMatch(/^@_\*\*Prospero\|1\*\* moved this; also \/user_uploads\/1\/.*\/ship\.txt\.$/);
  expect(messages[6].submessages).toMatchObject([{ msg_type: "widget" }]);
  const { message_history } = await asMiranda("GET", "/messages/4/history");
  expect(message_history).toMatchObject([
    { topic: "storms", content: "As **he** said", user_id: 2 },
    { topic: "storms", prev_content: "As **he** said", user_id: 2 },
    { topic: "✔ storms", prev_topic: "storms", user_id: 1 },
  ]);

  const { topics } = await asMiranda("GET", "/users/me/1/topics");
  expect(topics).toEqual([
    { name: "storms", max_id: 7 },
    { name: "✔ storms", max_id: 4 },
  ]);
  const found = await asMiranda("GET", "/messages", {
    ...{ ...everything, narrow: [{ operator: "search", operand: "afeard" }] },
  });
  expect(found.messages).toMatchObject([{ id: 6, sender_full_name: "Caliban" }]);
  // A guest reads what is in their channels only.
  const ofCaliban = await asCaliban("GET", "/messages", everything);
  expect(ofCaliban.messages.map(({ id }: any) => id)).toEqual([1, 2, 4, 6, 7]);

  const state = await asCaliban("POST", "/register", {
    fetch_event_types: ["message", "update_message_flags", "realm", "realm_user", "realm_user_groups", "subscription"],
  });
  expect(state).toMatchObject({
    ...{ max_message_id: 8, realm_name: "Milan", realm_description: "A duchy" },
    unread_msgs: { count: 3 },
    realm_non_active_users: [{ full_name: "Antonio" }],
  });
  const spirits = state.realm_user_groups.find(({ name }: any) => name === "spirits");
  const islanders = state.realm_user_groups.find(({ name }: any) => name === "islanders");
  expect(spirits).toMatchObject({
    ...{ members: [2], creator_id: 1, can_manage_group: { direct_members: [2], direct_subgroups: [2] } },
  });
  expect(islanders).toMatchObject({ members: [3], direct_subgroup_ids: [spirits.id] });
  const { members } = await asProspero("GET", "/users");
  expect(members.map(({ user_id, role, is_active, is_bot }: any) => [user_id, role, is_active, is_bot]).sort()).toEqual(
    [
      ...[
        [1, 100, true, false],
        [2, 400, true, false],
        [3, 600, true, false],
        [4, 400, false, false],
      ],
      ...[
        [5, 400, true, true],
        [6, 400, true, true],
        [7, 400, true, true],
        [8, 400, true, true],
      ],
    ],
  );
  const { streams } = await asProspero("GET", "/streams", { include_all: true, exclude_archived: false });
  expect(streams).toMatchObject([
    { stream_id: 1, name: "island", rendered_description: "<p>About the <em>sea</em></p>", is_archived: false },
    { stream_id: 2, name: "plot", invite_only: true, history_public_to_subscribers: false },
    { stream_id: 3, name: "cave", is_archived: true },
  ]);
  const sent = await asMiranda("POST", "/messages", {
    ...{ type: "channel", to: 1, topic: "news", content: "O brave new world" },
  });
  expect(sent.id).toBe(9);
}, 600_000);
