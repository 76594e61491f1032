import { expect, test } from "vitest";
import { userSettingNames } from "../../shared/base/schema/user-settings.ts";
import { unsupportedUserSettings } from "../../shared/services/organization/unsupported.ts";
import { listen } from "../support/listener.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson } from "../support/world.ts";

/** The events about a user's settings and status that the user's own clients receive. */

/** Values of the settings that are not booleans, each different from the default. */
const nonDefaultValues: Record<string, unknown> = {
  web_mark_read_on_scroll_policy: 2,
  web_channel_default_view: 2,
  web_font_size_px: 18,
  web_line_height_percent: 122,
  color_scheme: 3,
  demote_inactive_streams: 2,
  user_list_style: 1,
  web_stream_unreads_count_display_policy: 3,
  email_notifications_batching_period_seconds: 300,
  desktop_icon_count_display: 3,
  realm_name_in_email_notifications_policy: 2,
  automatically_follow_topics_policy: 2,
  automatically_unmute_topics_in_muted_streams_policy: 3,
  email_address_visibility: 4,
  default_language: "fr",
  web_home_view: "all_messages",
  emojiset: "text",
  web_animate_image_previews: "always",
  timezone: "Europe/Rome",
  notification_sound: "none",
};
const supported = userSettingNames.filter((name) => !unsupportedUserSettings.has(name));

test("every changed setting causes one event with its value", async () => {
  const feste = await aPerson("Feste");
  const listener = await listen(feste, { event_types: ["user_settings"], fetch_event_types: ["user_settings"] });
  const before = listener.state.user_settings;
  const params = Object.fromEntries(
    supported.map((name) => [name, name in nonDefaultValues ? nonDefaultValues[name] : !before[name]]),
  );

  // Each value is a change.
  expect(supported.filter((name) => params[name] === before[name])).toEqual([]);
  expect((await feste.call("PATCH", "/settings", params)).body).toEqual({ result: "success", msg: "" });
  // The repeated request changes nothing, so it must not cause events.
  expect((await feste.call("PATCH", "/settings", params)).status).toBe(200);

  await eventually(async () => {
    await listener.poll();
    return listener.received.length >= supported.length;
  });
  await listener.poll();
  const received = listener.received.map(({ property, value, op }) => [property, value, op]);
  expect(received.sort()).toEqual(supported.map((name) => [name, params[name], "update"]).sort());
});

test("the away status causes a status event and an event of the presence setting", async () => {
  const feste = await aPerson("Feste");
  const listener = await listen(
    feste,
    { event_types: ["user_settings", "user_status"] },
    ({ type, user_id }) => type === "user_settings" || user_id === feste.id,
  );

  for (const away of [true, false]) {
    expect((await feste.call("POST", "/users/me/status", { away })).body).toEqual({ result: "success", msg: "" });
    while (listener.received.length < 2) await listener.poll({ dont_block: false });
    const id = expect.any(Number);
    expect(listener.received.splice(0)).toEqual([
      { type: "user_status", id, user_id: feste.id, away },
      { type: "user_settings", op: "update", id, property: "presence_enabled", value: !away },
    ]);
    expect((await feste.call("GET", `/users/${feste.id}/status`)).body.status).toEqual(away ? { away } : {});
  }
});
