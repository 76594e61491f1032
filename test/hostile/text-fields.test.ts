import { expect, test } from "vitest";
import { type JsonSchema, schemaOf } from "../../shared/base/schema/json-schema.ts";
import { endpoints, nameOf, pathWith } from "./acts.ts";
import { type Call, ownPlaces, places } from "./written-texts.ts";

/**
 * Each text that an endpoint takes is either written by the table of text fields, which a browser then shows to others, or
 * listed here with the reason why it need not be. A new field fails until it is one of both.
 */

/** By endpoint and field, as regular expressions. Requests that only read are not asked for. */
const exemptions: readonly (readonly [string, RegExp])[] = [
  [
    "proves who one is, and is never shown",
    /(password|token|prev_content_sha256|_key|registration|appid|second_factor\S* code)$/,
  ],
  [
    "is a number or one of a few words",
    /(_seconds|_days|_required_from|property|flag|msg_type|onboarding_step|anchor|color)$/,
  ],
  ["chooses what is returned or changed, and is not kept", /(event_types\[\]|narrow.*|principals\[\]|delete\[\])$/],
  ["must be an existing user or group", /^\w+ \/scim\/\S+ id$/],
  ["goes back to the client that sent it alone", /(queue_id|local_id|upload_id)$/],
  ["must be a name or code of an existing emoji", /(reactions|status) emoji_(name|code)$/],
  ["must be a language or a time zone that the server knows", /(default_language|timezone)$/],
  ["must be an address for email", /((^|[. ])(new_)?email|invitee_emails|username)$/],
  ["must be an existing channel or group of channels", /(stream|_group|stream_names\[\]|messages to(\[\])?)$/],
  ["must be a URL, and is not shown to others", /(payload_url|jitsi_server_url)$/],
  ["must be a domain", /realm\/domains\S* domain$/],
  ["is read by the owner of the bot alone, by programs", /(bot_storage .*|config_data\.\*|short_name|service_name)$/],
  [
    "is only compared with what exists",
    /^(DELETE .*|\S+ \/(typing|mark_topic_as_read|user_topics|sign-in\/\{provider\}\/logout) .*|.*muted_topics .*|.*\/import owner_name)$/,
  ],
  [
    "must be the name of something that exists, or of a setting",
    /(delete_topic topic_name|users\/\{user_id\} user_id|subscriptions\/properties .*)$/,
  ],
  ["is rendered for the caller alone", /(messages\/render|template_preview|test_welcome_bot_custom_message) \S+$/],
  ["reaches people only in a message or a mail", /(welcome_message_custom_text|report description|_comment)$/],
  ["is the topic, or the name of a file, which are covered", /( subject| filename)$/],
  ["must conform to the schema of a widget, as the text of a poll becomes", / widget_content$/],
  ["is shown by no page of the web client", /pygments_language$/],
  ["is shown as a full name is, in the same places", /(agent_keys|app_passwords) name$/],
  ["becomes a full name, which is covered", /(POST \/users|POST \/join\/\{token\}) full_name$/],
  ["creates a channel, as a subscription to a new one does", /^POST \/channels\/create .*/],
  ["names or filters what a service sends, or is the topic of its message", /^POST \/external\/\{integration\} .*/],
  ["is the subscription of a browser, which its push service alone gets", /^POST \/web_push\/subscriptions \w+$/],
  ["sets a status, as its owner does", /users\/\{user_id\}\/status status_text$/],
];

/** The texts in a schema, as paths: `drafts[].content`. */
function textsIn(schema: JsonSchema, path: string): string[] {
  const { type, enum: values, const: constant, items, properties, additionalProperties, ...rest } = schema as any;
  if (constant !== undefined || values) return [];
  const parts = [...(rest.anyOf ?? []), ...(rest.oneOf ?? []), ...(rest.allOf ?? [])];
  const isText = [type].flat().includes("string") || (type === undefined && parts.length === 0);
  return [
    ...(isText ? [path] : []),
    ...parts.flatMap((part) => textsIn(part, path)),
    ...(items ? textsIn(items, `${path}[]`) : []),
    ...Object.entries<JsonSchema>(properties ?? {}).flatMap(([name, part]) => textsIn(part, `${path}.${name}`)),
    ...(typeof additionalProperties === "object" ? textsIn(additionalProperties, `${path}.*`) : []),
  ];
}

const marker = "somehostiletext";

/** The paths of a value at which the marker is; names of a record are `*`, as those that the declaration does not name. */
function markedIn(value: unknown, path: string): string[] {
  if (typeof value === "string") return value.includes(marker) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((item) => markedIn(item, `${path}[]`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    name.includes(marker) ? [`${path}.*`] : [...markedIn(part, `${path}.${name}`), ...markedIn(part, `${path}.*`)],
  );
}

/** The fields to which the table writes, found by recording its calls. */
async function writtenFields(): Promise<Set<string>> {
  const written = new Set<string>();
  const call: Call = async (method, path, params = {}) => {
    for (const member of endpoints.filter(({ spec }) => spec.method === method)) {
      const template = pathWith(member, () => "PARAM").replace(/^\/api\/v1/, "");
      const pattern = new RegExp(`^${template.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll("PARAM", "[^/]+")}$`);
      if (!pattern.test(path)) continue;
      for (const [name, value] of Object.entries(params))
        for (const field of markedIn(value, name)) written.add(`${nameOf(member)} ${field}`);
      if (path.includes(marker))
        for (const [, name] of member.spec.path.matchAll(/\{(\w+)\+?\}/g)) written.add(`${nameOf(member)} ${name}`);
    }
    return { status: 200, id: 1, uri: `/user_uploads/${marker}` };
  };
  const context = { call, writer: 1, reader: 2, channelId: 3, messageId: 4, round: 1, png: new Uint8Array() };
  for (const { write } of [...Object.values(places), ...Object.values(ownPlaces)]) await write(marker, context);
  return written;
}

const declared = endpoints
  .filter(({ spec }) => spec.method !== "GET")
  .flatMap((member) =>
    Object.entries(member.spec.params).flatMap(([name, param]) =>
      textsIn(schemaOf(param), name).map((field) => `${nameOf(member)} ${field}`),
    ),
  );

test("each text that an endpoint takes is written by the table of text fields, or exempt", async () => {
  const written = await writtenFields();
  const lastName = (field: string) => (field.match(/(\w+)\W*$/)?.[1] ?? "").replace(/^new_/, "");
  const names = new Set([...written].map(lastName));
  // An edit is checked as its entity's creation is, and shown in the same place.
  const isEdit = (field: string) => field.startsWith("PATCH ") && !/^PATCH \/realm /.test(field);
  const isExempt = (field: string) => exemptions.some(([, pattern]) => pattern.test(field));
  const isCovered = (field: string) =>
    written.has(field) || isExempt(field) || (isEdit(field) && names.has(lastName(field)));

  expect([...new Set(declared)].filter((field) => !isCovered(field))).toEqual([]);
});

test("each exemption is of a field that exists", () => {
  expect(exemptions.filter(([, pattern]) => !declared.some((field) => pattern.test(field)))).toEqual([]);
});
