import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { servedLevels } from "../../shared/base/limits.ts";
import { upload } from "../support/files.ts";
import { type Listener, listen } from "../support/listener.ts";
import { sendToChannel } from "../support/messages.ts";
import { aBot } from "../support/people.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/**
 * What changed in the shapes of the API between the levels that are served and 500. A server may tell a level only with every shape
 * that it has: the shapes below hold for all levels in `servedLevels`, and a level from which another holds cannot be among them.
 */

interface Change {
  /** The level from which the other shape holds. */
  since: number;
  what: string;
  served: string;
  later: string;
  check(): unknown;
}

const changes: readonly Change[] = [
  {
    since: 427,
    what: "the default of `can_administer_channel_group` (`server_supported_permission_settings`)",
    served: "`stream_creator_or_nobody`",
    later: "`channel_creator`",
    check: () =>
      expect(
        listener.state.server_supported_permission_settings.stream.can_administer_channel_group.default_group_name,
      ).toBe("stream_creator_or_nobody"),
  },
  {
    since: 433,
    what: "people",
    served: "",
    later: "`is_imported_stub`",
    check: () => expect(listener.state.realm_users[0]).not.toHaveProperty("is_imported_stub"),
  },
  {
    since: 435,
    what: "kinds of report",
    served: "",
    later: "`server_report_message_types`",
    check: () => expect(listener.state).not.toHaveProperty("server_report_message_types"),
  },
  {
    since: 439,
    what: "settings, for clients without `user_settings_object`",
    served: "`update_display_settings` and `update_global_notifications` events",
    later: "no event",
    check: async () => {
      const legacy = await listen(prospero, { event_types: ["update_display_settings"] });
      await prospero.do("PATCH", "/settings", { high_contrast_mode: true });
      expect(await legacy.next("update_display_settings")).toMatchObject({ setting_name: "high_contrast_mode" });
    },
  },
  {
    since: 441,
    what: "who may begin topics",
    served: "",
    later: "channels' `can_create_topic_group`",
    check: () => expect(listener.state.subscriptions[0]).not.toHaveProperty("can_create_topic_group"),
  },
  {
    since: 442,
    what: "GIFs",
    served: "`realm_giphy_rating`, `giphy_rating_options`",
    later: "`gif_rating_options`; from 453 on `realm_gif_rating_policy`, `gif_rating_policy_options`",
    check: () => {
      expect(listener.state).toMatchObject({
        realm_giphy_rating: expect.any(Number),
        giphy_rating_options: expect.any(Object),
      });
      expect(listener.state).not.toHaveProperty("realm_gif_rating_policy");
    },
  },
  {
    since: 443,
    what: "a file's `create_time`, and `date_sent` of its messages (`GET /attachments`, events)",
    served: "milliseconds",
    later: "seconds",
    check: async () => {
      const { create_time, messages } = (await prospero.do("GET", "/attachments")).attachments[0];
      for (const time of [create_time, messages[0].date_sent])
        expect(Math.abs(time - Date.now())).toBeLessThan(24 * 60 * 60 * 1000);
    },
  },
  {
    since: 449,
    what: "`export_type` of an export",
    served: "1, 2",
    later: "`public`, `full_with_consent`, `full_without_consent`",
    check: async () =>
      expect((await prospero.call("POST", "/export/realm", { export_type: "public" })).status).toBe(400),
  },
  {
    since: 454,
    what: "`web_home_view`",
    served: "`recent_topics`",
    later: "`recent`",
    check: async () => {
      await prospero.do("PATCH", "/settings", { web_home_view: "recent_topics" });
      expect((await prospero.call("PATCH", "/settings", { web_home_view: "recent" })).status).toBe(400);
    },
  },
  {
    since: 468,
    what: "push notifications",
    served: "`POST /mobile_push/register` with `push_account_id`; `push_devices`",
    later:
      "devices that keep their ID while keys and tokens are replaced: `POST /register_client_device`, `/remove_client_device`, `/mobile_push/register` with `device_id`, `device` events, and the bouncer's call for them",
    check: async () => {
      expect(listener.state).toMatchObject({ push_devices: {} });
      expect(listener.state).not.toHaveProperty("devices");
      expect((await prospero.call("POST", "/register_client_device")).status).toBe(404);
    },
  },
  {
    since: 472,
    what: "a file's messages",
    served: "`messages`, each with `id` and `date_sent`",
    later: "`message_ids`",
    check: async () => {
      const [file] = (await prospero.do("GET", "/attachments")).attachments;
      expect(file).toMatchObject({ messages: [{ id: linked }] });
      expect(file).not.toHaveProperty("message_ids");
    },
  },
  {
    since: 474,
    what: "a bot in `realm_bots` and `realm_bot` events",
    served: "with name, address, type, key and picture",
    later: "`user_id`, `default_…` and `services`; the key by `GET /bots/{id}/api_key`",
    check: () => {
      const bot = listener.state.realm_bots.find(({ user_id }: { user_id: number }) => user_id === ariel.id);
      expect(bot).toMatchObject({
        ...{ full_name: ariel.name, email: ariel.email, bot_type: 1, owner_id: prospero.id, is_active: true },
        ...{ api_key: ariel.apiKey, avatar_url: expect.any(String) },
      });
    },
  },
  {
    since: 484,
    what: "a reaction",
    served: "in events with `user`",
    later: "`user_id` alone",
    check: async () => {
      await prospero.do("POST", `/messages/${linked}/reactions`, { emoji_name: "octopus" });
      expect(await listener.next("reaction")).toMatchObject({ user: { user_id: prospero.id }, user_id: prospero.id });
    },
  },
  {
    since: 485,
    what: "options of an integration's URL",
    served: "`validator` (no integration of Skein has options)",
    later: "`input_type`",
    check: () =>
      expect(
        listener.state.realm_incoming_webhook_bots.flatMap(({ url_options = [] }: { url_options?: object[] }) => [
          ...url_options,
        ]),
      ).toEqual([]),
  },
];

let prospero: Person;
let ariel: Person;
let listener: Listener;
/** A message with a link to a file. */
let linked: number;

beforeAll(async () => {
  prospero = await aPerson("Prospero", { role: "owner" });
  ariel = await aBot(prospero);
  const isle = await aChannel("isle", [prospero]);
  linked = await sendToChannel(prospero, isle, "books", `[book](${await upload(prospero, "book.txt")})`);
  listener = await listen(prospero, { client_capabilities: { notification_settings_null: true } });
});

test.each(changes)("the shape of $what is that of the levels below $since", async ({ check }) => {
  await check();
});

test("no level is served from which a shape differs", () => {
  expect(Math.max(...servedLevels)).toBeLessThan(Math.min(...changes.map(({ since }) => since)));
});

test("docs/clients.md lists these shapes", () => {
  const [, table = ""] =
    /\| since \| what \|.*\n\|[-|]+\n((?:\|.*\n)+)/.exec(readFileSync("docs/clients.md", "utf8")) ?? [];
  const row = ({ since, what, served, later }: Change) =>
    `| ${since} | ${what} | ${served} | ${later} |`.replaceAll("  ", " ");

  expect(table.trim().split("\n")).toEqual(changes.map(row));
});
