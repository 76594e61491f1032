import { beforeAll, test } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { sendToChannel } from "../support/messages.ts";
import { LiveState } from "../support/model/live-state.ts";
import { aGroup } from "../support/people.ts";
import { unique } from "../support/unique.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/**
 * Each change, with everything that hangs on the changed thing: a client that applies events has the state of one that registers
 * anew. For the person who acts, for another subscriber, for a guest who sees only what they subscribe to, and for somebody who is
 * in none of the channels.
 */

let [prospero, miranda, ferdinand, caliban]: Person[] = [];
beforeAll(async () => {
  [prospero, miranda, ferdinand, caliban] = await Promise.all([
    aPerson("Prospero", { role: "owner" }),
    aPerson("Miranda"),
    aPerson("Ferdinand", { role: "guest" }),
    aPerson("Caliban"),
  ]);
});

const tomorrow = () => Math.floor(Date.now() / 1000) + 86_400;

interface Scene {
  owner: Person;
  other: Person;
  island: Channel;
  /** A private channel of the owner and the other. */
  cell: Channel;
  messageIds: [number, number];
  groupId: number;
  bot: { id: number };
}

/** Puts something of every kind on a channel's topic, a person and a group. */
async function aScene(): Promise<Scene> {
  const [owner, other, guest] = [prospero, miranda, ferdinand] as [Person, Person, Person];
  const [island, cell] = await Promise.all([
    aChannel("island", [owner, other, guest]),
    aChannel("cell", [owner, other], { inviteOnly: true, historyPublicToSubscribers: true }),
  ]);
  const messageIds: [number, number] = [
    await sendToChannel(owner, island, "tempest", `@**${other.name}|${other.id}** boatswain`),
    await sendToChannel(other, island, "tempest", "here, master"),
  ];
  const groupId = await aGroup([owner, other]);
  for (const [person, visibility_policy] of [
    [owner, 1],
    [other, 3],
    [guest, 3],
  ] as const) {
    await person.do("POST", "/user_topics", { stream_id: island.id, topic: "tempest", visibility_policy });
    await person.do("POST", "/drafts", {
      drafts: [{ type: "stream", to: [island.id], topic: "tempest", content: "what cheer" }],
    });
    await person.do("POST", "/messages/flags", { messages: messageIds, op: "add", flag: "starred" });
    await person.do("POST", "/reminders", {
      message_id: messageIds[0],
      scheduled_delivery_timestamp: tomorrow(),
    });
    await person.do("POST", "/scheduled_messages", {
      ...{ type: "channel", to: island.id, topic: "tempest", content: "good" },
      scheduled_delivery_timestamp: tomorrow(),
    });
    const fragment = `narrow/channel/${island.id}-island/topic/tempest`;
    await person.do("POST", "/navigation_views", { fragment, is_pinned: true, name: unique("Tempest") });
    if (person !== other) await person.do("POST", `/users/me/muted_users/${other.id}`).catch(() => undefined);
  }
  await owner.do("POST", "/default_streams", { stream_id: island.id });
  await owner.do("POST", "/default_stream_groups/create", {
    ...{ group_name: unique("isles"), description: "" },
    stream_names: [(await aChannel("default", [owner])).name],
  });
  const { user_id: id } = await other.do("POST", "/bots", {
    full_name: "Ariel",
    short_name: unique("ariel").replaceAll(/\W+/g, "-"),
  });
  return { owner, other, island, cell, messageIds, groupId, bot: { id } };
}

const move = ({ owner, messageIds }: Scene, params: Record<string, unknown>, id = messageIds[0]) =>
  owner.do("PATCH", `/messages/${id}`, { propagate_mode: "change_all", ...params });

const changes: Record<string, (scene: Scene) => Promise<unknown>> = {
  "a topic is renamed": (scene) => move(scene, { topic: "calm" }),
  "a topic is resolved": (scene) => move(scene, { topic: "✔ tempest" }),
  "the case of a topic changes": (scene) => move(scene, { topic: "Tempest" }),
  "a part of a topic is moved": (scene) =>
    move(scene, { topic: "calm", propagate_mode: "change_one" }, scene.messageIds[1]),
  "a topic is merged": async (scene) => {
    await sendToChannel(scene.owner, scene.island, "calm");
    await move(scene, { topic: "calm" });
  },
  "a topic is moved to a private channel": (scene) => move(scene, { stream_id: scene.cell.id }),
  "a topic is deleted": ({ owner, island }) =>
    owner.do("POST", `/streams/${island.id}/delete_topic`, { topic_name: "tempest" }),
  "a channel is renamed": ({ owner, island }) =>
    owner.do("PATCH", `/streams/${island.id}`, { new_name: unique("isle") }),
  "a channel is made private": async ({ owner, island }) => {
    await owner.do("DELETE", "/default_streams", { stream_id: island.id });
    await owner.do("PATCH", `/streams/${island.id}`, { is_private: true });
  },
  "a channel is archived": ({ owner, island }) => owner.do("DELETE", `/streams/${island.id}`),
  "a channel is archived and unarchived": async ({ owner, island }) => {
    await owner.do("DELETE", `/streams/${island.id}`);
    await owner.do("PATCH", `/streams/${island.id}`, { is_archived: false });
  },
  "somebody leaves": ({ other, island }) =>
    other.do("DELETE", "/users/me/subscriptions", { subscriptions: [island.name] }),
  "somebody is removed from a private channel": ({ owner, other, cell }) =>
    owner.do("DELETE", "/users/me/subscriptions", { subscriptions: [cell.name], principals: [other.id] }),
  "a group is renamed": ({ owner, groupId }) => owner.do("PATCH", `/user_groups/${groupId}`, { name: unique("elves") }),
  "a group loses a member": ({ owner, other, groupId }) =>
    owner.do("POST", `/user_groups/${groupId}/members`, { delete: [other.id] }),
  "a group is deactivated": ({ owner, groupId }) => owner.do("POST", `/user_groups/${groupId}/deactivate`),
  "a bot is deactivated": ({ other, bot }) => other.do("DELETE", `/bots/${bot.id}`),
  "a person is renamed": ({ owner, other }) =>
    owner.do("PATCH", `/users/${other.id}`, { full_name: unique("Miranda").slice(0, 40) }),
};

test.each(Object.keys(changes))("when %s, events lead to the state of a new registration", async (name) => {
  const scene = await aScene();
  const clients = await Promise.all(
    [prospero, miranda, ferdinand, caliban].map((person) => LiveState.register(person as Person)),
  );

  await (changes[name] as (scene: Scene) => Promise<unknown>)(scene);

  for (const client of clients) await client.expectFresh();
});
