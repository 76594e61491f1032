import { putFile } from "../../shared/services/blobs/bucket.ts";
import { type Act, act, png, uploading, withPreparation } from "./act.ts";

/** Files, pictures, emoji and the organization. */
export const organizationActs: readonly Act[] = [
  uploading("upload a file", "POST /user_uploads", png),
  act("uploaded files", "GET /attachments"),
  act("serve a file", "GET /{upload a file.url}"),
  withPreparation(
    ({ replies }) => {
      const { url } = replies["upload a file"];
      replies["a thumbnail"] = { url: `${url.replace("/user_uploads/", "/user_uploads/thumbnail/")}/840x560.webp` };
    },
    act("serve a thumbnail", "GET /{a thumbnail.url}"),
  ),
  act("a temporary link", "GET {upload a file.url}"),
  act("serve a file by its link", "GET /{a temporary link.url}", undefined, "nobody"),
  act("begin a large upload", "POST /user_uploads/presigned", () => ({ filename: "large.bin", size: 10 })),
  withPreparation(
    async ({ replies }) => {
      // Writes to the bucket directly: the presigned URL is not valid yet by the host's clock, which is not moved.
      const [, , ...key] = new URL(replies["begin a large upload"].upload_url).pathname.split("/");
      await putFile(key.join("/"), Buffer.from("0123456789"), "application/octet-stream");
    },
    act("complete a large upload", "POST /user_uploads/presigned/complete", ({ replies }) => ({
      upload_id: replies["begin a large upload"].upload_id,
    })),
  ),
  act("delete a file", "DELETE /attachments/{uploaded files.attachments.0.id}"),
  uploading("set an avatar", "POST /users/me/avatar", png),
  act("serve an avatar", "GET /{set an avatar.avatar_url}", undefined, "nobody"),
  act("remove an avatar", "DELETE /users/me/avatar"),
  uploading("add an emoji", "POST /realm/emoji/e{suffix}", png, "owner"),
  act("emoji", "GET /realm/emoji"),
  withPreparation(
    ({ replies }) => {
      replies["an emoji"] = Object.values<{ source_url: string }>(replies.emoji.emoji).at(-1);
    },
    act("serve an emoji", "GET /{an emoji.source_url}", undefined, "nobody"),
  ),
  act("remove an emoji", "DELETE /realm/emoji/e{suffix}", undefined, "owner"),
  act(
    "add a domain",
    "POST /realm/domains",
    ({ suffix }) => ({ domain: `d${suffix}.test`, allow_subdomains: false }),
    "owner",
  ),
  act("domains", "GET /realm/domains"),
  act("change a domain", "PATCH /realm/domains/d{suffix}.test", () => ({ allow_subdomains: true }), "owner"),
  act("remove a domain", "DELETE /realm/domains/d{suffix}.test", undefined, "owner"),
  act(
    "change the defaults of new users' settings",
    "PATCH /realm/user_settings_defaults",
    () => ({ enter_sends: true }),
    "owner",
  ),
  act(
    "test the welcome message",
    "POST /realm/test_welcome_bot_custom_message",
    () => ({ welcome_message_custom_text: "Hi" }),
    "owner",
  ),
  uploading("set the icon", "POST /realm/icon", png, "owner"),
  act("remove the icon", "DELETE /realm/icon", undefined, "owner"),
  uploading("set the logo", "POST /realm/logo", png, "owner", { night: false }),
  act("remove the logo", "DELETE /realm/logo", () => ({ night: false }), "owner"),
  act("change the organization", "PATCH /realm", () => ({ description: "A theatre" }), "owner"),
  act(
    "add a linkifier",
    "POST /realm/filters",
    ({ suffix }) => ({ pattern: `#${suffix}(?P<id>[0-9]+)`, url_template: "https://example.com/{id}" }),
    "owner",
  ),
  act("linkifiers", "GET /realm/linkifiers"),
  act(
    "change a linkifier",
    "PATCH /realm/filters/{add a linkifier.id}",
    ({ suffix }) => ({ pattern: `#${suffix}-(?P<id>[0-9]+)`, url_template: "https://example.com/{id}" }),
    "owner",
  ),
  act(
    "reorder linkifiers",
    "PATCH /realm/linkifiers",
    ({ replies }) => ({ ordered_linkifier_ids: replies.linkifiers.linkifiers.map(({ id }: { id: number }) => id) }),
    "owner",
  ),
  act("remove a linkifier", "DELETE /realm/filters/{add a linkifier.id}", undefined, "owner"),
  act(
    "create a default channel group",
    "POST /default_stream_groups/create",
    ({ suffix }) => ({ group_name: `group ${suffix}`, description: "d", stream_names: [] }),
    "owner",
  ),
  act("default channel groups", "POST /register", () => ({ event_types: ["default_stream_groups"] }), "owner"),
  act(
    "change a default channel group",
    "PATCH /default_stream_groups/{default channel groups.realm_default_stream_groups.0.id}",
    () => ({ new_description: "e" }),
    "owner",
  ),
  act(
    "change the channels of a default channel group",
    "PATCH /default_stream_groups/{default channel groups.realm_default_stream_groups.0.id}/streams",
    ({ channel }) => ({ op: "add", stream_names: [channel.name] }),
    "owner",
  ),
  act(
    "remove a default channel group",
    "DELETE /default_stream_groups/{default channel groups.realm_default_stream_groups.0.id}",
    undefined,
    "owner",
  ),
  act(
    "add a playground",
    "POST /realm/playgrounds",
    ({ suffix }) => ({
      name: `play ${suffix}`,
      pygments_language: "Python",
      url_template: "https://example.com/{code}",
    }),
    "owner",
  ),
  act("remove a playground", "DELETE /realm/playgrounds/{add a playground.id}", undefined, "owner"),
  act(
    "add a profile field",
    "POST /realm/profile_fields",
    ({ suffix }) => ({ name: `field ${suffix}`, field_type: 1 }),
    "owner",
  ),
  act("profile fields", "GET /realm/profile_fields"),
  act("change a profile field", "PATCH /realm/profile_fields/{add a profile field.id}", () => ({ hint: "h" }), "owner"),
  act(
    "reorder profile fields",
    "PATCH /realm/profile_fields",
    ({ replies }) => ({ order: replies["profile fields"].custom_fields.map(({ id }: { id: number }) => id) }),
    "owner",
  ),
  act("set own profile data", "PATCH /users/me/profile_data", ({ replies }) => ({
    data: [{ id: replies["add a profile field"].id, value: "v" }],
  })),
  act("remove own profile data", "DELETE /users/me/profile_data", ({ replies }) => ({
    data: [replies["add a profile field"].id],
  })),
  act("remove a profile field", "DELETE /realm/profile_fields/{add a profile field.id}", undefined, "owner"),
  act("add a push token (Android)", "POST /users/me/android_gcm_reg_id", () => ({ token: "a-token" })),
  act("remove a push token (Android)", "DELETE /users/me/android_gcm_reg_id", () => ({ token: "a-token" })),
  act("add a push token (Apple)", "POST /users/me/apns_device_token", () => ({ token: "ab12", appid: "test.app" })),
  act("remove a push token (Apple)", "DELETE /users/me/apns_device_token", () => ({ token: "ab12" })),
  act("exports", "GET /export/realm", undefined, "owner"),
  act("export consents", "GET /export/realm/consents", undefined, "owner"),
];
