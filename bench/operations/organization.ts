import { putFile } from "../../shared/services/blobs/bucket.ts";
import { type Operation, operation, png, uploading, withPreparation } from "./operation.ts";

/** Files, pictures, emoji and the organization. */
export const organizationOperations: readonly Operation[] = [
  uploading("upload a file", "POST /user_uploads", png),
  operation("uploaded files", "GET /attachments"),
  operation("serve a file", "GET /{upload a file.url}"),
  withPreparation(
    ({ replies }) => {
      const { url } = replies["upload a file"];
      replies["a thumbnail"] = { url: `${url.replace("/user_uploads/", "/user_uploads/thumbnail/")}/840x560.webp` };
    },
    operation("serve a thumbnail", "GET /{a thumbnail.url}"),
  ),
  operation("a temporary link", "GET {upload a file.url}"),
  operation("serve a file by its link", "GET /{a temporary link.url}", undefined, "nobody"),
  operation("begin a large upload", "POST /user_uploads/presigned", () => ({ filename: "large.bin", size: 10 })),
  withPreparation(
    async ({ replies }) => {
      // Writes to the bucket directly: the presigned URL is not valid yet by the host's clock, which is not moved.
      const [, , ...key] = new URL(replies["begin a large upload"].upload_url).pathname.split("/");
      await putFile(key.join("/"), Buffer.from("0123456789"), "application/octet-stream");
    },
    operation("complete a large upload", "POST /user_uploads/presigned/complete", ({ replies }) => ({
      upload_id: replies["begin a large upload"].upload_id,
    })),
  ),
  operation("delete a file", "DELETE /attachments/{uploaded files.attachments.0.id}"),
  uploading("set an avatar", "POST /users/me/avatar", png),
  operation("serve an avatar", "GET /{set an avatar.avatar_url}", undefined, "nobody"),
  operation("remove an avatar", "DELETE /users/me/avatar"),
  uploading("add an emoji", "POST /realm/emoji/e{suffix}", png, "owner"),
  operation("emoji", "GET /realm/emoji"),
  withPreparation(
    ({ replies }) => {
      replies["an emoji"] = Object.values<{ source_url: string }>(replies.emoji.emoji).at(-1);
    },
    operation("serve an emoji", "GET /{an emoji.source_url}", undefined, "nobody"),
  ),
  operation("remove an emoji", "DELETE /realm/emoji/e{suffix}", undefined, "owner"),
  operation(
    "add a domain",
    "POST /realm/domains",
    ({ suffix }) => ({ domain: `d${suffix}.test`, allow_subdomains: false }),
    "owner",
  ),
  operation("domains", "GET /realm/domains"),
  operation("change a domain", "PATCH /realm/domains/d{suffix}.test", () => ({ allow_subdomains: true }), "owner"),
  operation("remove a domain", "DELETE /realm/domains/d{suffix}.test", undefined, "owner"),
  operation(
    "change the defaults of new users' settings",
    "PATCH /realm/user_settings_defaults",
    () => ({ enter_sends: true }),
    "owner",
  ),
  operation(
    "test the welcome message",
    "POST /realm/test_welcome_bot_custom_message",
    () => ({ welcome_message_custom_text: "Hi" }),
    "owner",
  ),
  uploading("set the icon", "POST /realm/icon", png, "owner"),
  operation("remove the icon", "DELETE /realm/icon", undefined, "owner"),
  uploading("set the logo", "POST /realm/logo", png, "owner", { night: false }),
  operation("remove the logo", "DELETE /realm/logo", () => ({ night: false }), "owner"),
  operation("change the organization", "PATCH /realm", () => ({ description: "A theatre" }), "owner"),
  operation(
    "add a linkifier",
    "POST /realm/filters",
    ({ suffix }) => ({ pattern: `#${suffix}(?P<id>[0-9]+)`, url_template: "https://example.com/{id}" }),
    "owner",
  ),
  operation("linkifiers", "GET /realm/linkifiers"),
  operation(
    "change a linkifier",
    "PATCH /realm/filters/{add a linkifier.id}",
    ({ suffix }) => ({ pattern: `#${suffix}-(?P<id>[0-9]+)`, url_template: "https://example.com/{id}" }),
    "owner",
  ),
  operation(
    "reorder linkifiers",
    "PATCH /realm/linkifiers",
    ({ replies }) => ({ ordered_linkifier_ids: replies.linkifiers.linkifiers.map(({ id }: { id: number }) => id) }),
    "owner",
  ),
  operation("remove a linkifier", "DELETE /realm/filters/{add a linkifier.id}", undefined, "owner"),
  operation(
    "create a default channel group",
    "POST /default_stream_groups/create",
    ({ suffix }) => ({ group_name: `group ${suffix}`, description: "d", stream_names: [] }),
    "owner",
  ),
  operation("default channel groups", "POST /register", () => ({ event_types: ["default_stream_groups"] }), "owner"),
  operation(
    "change a default channel group",
    "PATCH /default_stream_groups/{default channel groups.realm_default_stream_groups.0.id}",
    () => ({ new_description: "e" }),
    "owner",
  ),
  operation(
    "change the channels of a default channel group",
    "PATCH /default_stream_groups/{default channel groups.realm_default_stream_groups.0.id}/streams",
    ({ channel }) => ({ op: "add", stream_names: [channel.name] }),
    "owner",
  ),
  operation(
    "remove a default channel group",
    "DELETE /default_stream_groups/{default channel groups.realm_default_stream_groups.0.id}",
    undefined,
    "owner",
  ),
  operation(
    "add a playground",
    "POST /realm/playgrounds",
    ({ suffix }) => ({
      name: `play ${suffix}`,
      pygments_language: "Python",
      url_template: "https://example.com/{code}",
    }),
    "owner",
  ),
  operation("remove a playground", "DELETE /realm/playgrounds/{add a playground.id}", undefined, "owner"),
  operation(
    "add a profile field",
    "POST /realm/profile_fields",
    ({ suffix }) => ({ name: `field ${suffix}`, field_type: 1 }),
    "owner",
  ),
  operation("profile fields", "GET /realm/profile_fields"),
  operation(
    "change a profile field",
    "PATCH /realm/profile_fields/{add a profile field.id}",
    () => ({ hint: "h" }),
    "owner",
  ),
  operation(
    "reorder profile fields",
    "PATCH /realm/profile_fields",
    ({ replies }) => ({ order: replies["profile fields"].custom_fields.map(({ id }: { id: number }) => id) }),
    "owner",
  ),
  operation("set own profile data", "PATCH /users/me/profile_data", ({ replies }) => ({
    data: [{ id: replies["add a profile field"].id, value: "v" }],
  })),
  operation("remove own profile data", "DELETE /users/me/profile_data", ({ replies }) => ({
    data: [replies["add a profile field"].id],
  })),
  operation("remove a profile field", "DELETE /realm/profile_fields/{add a profile field.id}", undefined, "owner"),
  operation("add a push token (Android)", "POST /users/me/android_gcm_reg_id", () => ({ token: "a-token" })),
  operation("remove a push token (Android)", "DELETE /users/me/android_gcm_reg_id", () => ({ token: "a-token" })),
  operation("add a push token (Apple)", "POST /users/me/apns_device_token", () => ({
    token: "ab12",
    appid: "test.app",
  })),
  operation("remove a push token (Apple)", "DELETE /users/me/apns_device_token", () => ({ token: "ab12" })),
  operation("exports", "GET /export/realm", undefined, "owner"),
  operation("export consents", "GET /export/realm/consents", undefined, "owner"),
];
