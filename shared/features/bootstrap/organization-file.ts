import { limits } from "../../base/limits.ts";
import { nameKey } from "../../base/name-key.ts";
import { settingShape } from "../../base/schema/organization-settings.ts";
import {
  bool,
  list,
  mapOf,
  oneOf,
  optional,
  type Param,
  type Shape,
  strictObject,
  strictSchemaOf,
  string,
  type Values,
  withDefault,
} from "../../base/schema/params.ts";
import { botTypes, type RoleName } from "../../base/schema/roles.ts";
import { checkFullName } from "../../core/users/names.ts";
import { systemBotEmails } from "../../services/organization/system-bots.ts";
import { unsupportedRealmSettings } from "../../services/organization/unsupported.ts";
import { sentPattern } from "./sent-at.ts";

const email = () => string({ max: 254, allowBlank: false });
const roleNames = ["owner", "administrator", "moderator", "member", "guest"] as const satisfies readonly RoleName[];
export const botTypesInFile = {
  generic: botTypes.generic,
  incoming_webhook: botTypes.incomingWebhook,
  outgoing_webhook: botTypes.outgoingWebhook,
};

const optionalSettings = Object.fromEntries(
  Object.entries<Param>(settingShape)
    // Unsupported settings are rejected like unknown names.
    .filter(([name]) => !unsupportedRealmSettings.has(name))
    .map(([name, { schema, encoding }]) => [name, optional({ schema, encoding, required: true })]),
) as Shape;

const fileShape = {
  name: string({ max: 100, allowBlank: false }),
  string_id: withDefault(string({ max: 40 }), ""),
  settings: withDefault(strictObject(optionalSettings), {}),
  users: list(
    strictObject({
      email: email(),
      full_name: string({ max: limits.fullNameLength, allowBlank: false }),
      role: withDefault(oneOf(roleNames), "member"),
      password: optional(string({ max: limits.maxPasswordLength })),
      password_env: optional(string()),
      status: optional(
        strictObject({ emoji: optional(string()), text: optional(string({ max: limits.statusTextLength })) }),
      ),
    }),
  ),
  bots: withDefault(
    list(
      strictObject({
        email: email(),
        full_name: string({ max: limits.fullNameLength, allowBlank: false }),
        type: withDefault(oneOf(["generic", "incoming_webhook", "outgoing_webhook"]), "generic"),
        owner: email(),
        service_url: optional(string()),
        token: optional(string()),
      }),
    ),
    [],
  ),
  channels: withDefault(
    list(
      strictObject({
        name: string({ max: limits.channelNameLength, allowBlank: false }),
        description: withDefault(string({ max: limits.channelDescriptionLength }), ""),
        invite_only: withDefault(bool(), false),
        is_web_public: withDefault(bool(), false),
        history_public_to_subscribers: optional(bool()),
        is_default_stream: withDefault(bool(), false),
        subscribers: optional(list(email())),
      }),
    ),
    [],
  ),
  user_groups: withDefault(
    list(
      strictObject({
        name: string({ max: limits.groupNameLength, allowBlank: false }),
        description: withDefault(string(), ""),
        members: withDefault(list(email()), []),
      }),
    ),
    [],
  ),
  emoji: withDefault(
    list(
      strictObject({
        name: string({ max: 100, allowBlank: false }),
        /** A picture's path, relative to the organization file. */
        file: string({ max: 1000, allowBlank: false }),
      }),
    ),
    [],
  ),
  /** The messages that exist when the organization is created: in a channel's topic, or between users. */
  conversations: withDefault(
    list(
      strictObject({
        channel: optional(string()),
        topic: optional(string({ max: limits.topicLength, allowBlank: false })),
        between: optional(list(email())),
        /** Whether the messages after each participant's own last message are unread. */
        unread: withDefault(bool(), false),
        messages: list(
          strictObject({
            from: email(),
            /** A time such as `-3d 09:15`; see `sent-at.ts`. */
            sent: string({ max: 20 }),
            content: string({ max: limits.messageLength, allowBlank: false }),
            /** The addresses of the users who reacted, by emoji name. */
            reactions: withDefault(mapOf(list(email())), {}),
            /** Who voted for each option of a poll, in the options' order. */
            votes: withDefault(list(list(email())), []),
          }),
        ),
      }),
    ),
    [],
  ),
};

/** The contents of an organization file. */
export type OrganizationFile = Values<typeof fileShape>;

/** An invalid organization file; the message names the field. */
export class OrganizationFileError extends Error {
  override name = "OrganizationFileError";
}

const fail = (field: string, problem: string): never => {
  throw new OrganizationFileError(`${field}: ${problem}`);
};

/** Checks an organization file's JSON text; errors name the field. */
export function parseOrganizationFile(text: string): OrganizationFile {
  const parsed = strictSchemaOf(fileShape).safeParse(jsonOf(text));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const field = issue?.path.reduce<string>(
      (name, part) => name + (typeof part === "number" ? `[${part}]` : `.${String(part)}`),
      "",
    );
    return fail(field?.replace(/^\./, "") || "the file", issue?.message.replace("{} ", "") ?? "invalid");
  }
  const file = parsed.data as unknown as OrganizationFile;
  checkReferences(file);
  return file;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return fail("the file", `is not valid JSON (${(error as Error).message})`);
  }
}

/** Checks that referenced names exist, and that names which must be unique are. */
function checkReferences(file: OrganizationFile): void {
  const people = new Set(file.users.map((user) => user.email.toLowerCase()));
  const members = [...file.users, ...file.bots];
  checkUnique(
    members.map((user) => user.email),
    "users and bots",
    "email address",
  );
  checkUnique(
    file.channels.map((channel) => channel.name),
    "channels",
    "name",
  );
  checkUnique(
    file.user_groups.map((group) => group.name),
    "user_groups",
    "name",
  );
  checkUnique(
    file.emoji.map((emoji) => emoji.name.replaceAll(" ", "_")),
    "emoji",
    "name",
  );
  if (!file.users.some(({ role }) => role === "owner")) fail("users", "one of them must be an owner");
  for (const [field, people] of [["users", file.users] as const, ["bots", file.bots] as const])
    people.forEach(({ full_name: name }, index) => {
      try {
        checkFullName(name);
      } catch (error) {
        fail(`${field}[${index}].full_name`, (error as Error).message);
      }
    });
  members.forEach(({ email: address }, index) => {
    if (!/^[^\s@]+@[^\s@]+$/.test(address)) fail(`users[${index}].email`, `${address} is not an email address`);
  });
  for (const address of members.map((user) => user.email))
    if (systemBotEmails.has(address.toLowerCase())) fail("users and bots", `${address} is the address of a system bot`);
  const memberAddresses = new Set(members.map((user) => user.email.toLowerCase()));
  const check = (address: string, field: string, allowed = memberAddresses) => {
    if (!allowed.has(address.toLowerCase())) fail(field, `${address} is not in this file`);
  };
  file.bots.forEach(({ owner }, index) => {
    check(owner, `bots[${index}].owner`, people);
  });
  file.channels.forEach(({ subscribers = [] }, index) => {
    subscribers.forEach((address, position) => {
      check(address, `channels[${index}].subscribers[${position}]`);
    });
  });
  file.user_groups.forEach(({ name, members }, index) => {
    if (/^(@|role:|user:|stream:|channel:)/.test(name))
      fail(`user_groups[${index}].name`, `${name} begins with a reserved word`);
    members.forEach((address, position) => {
      check(address, `user_groups[${index}].members[${position}]`);
    });
  });
  const channels = new Set(file.channels.map(({ name }) => nameKey(name.trim())));
  file.conversations.forEach((conversation, index) => {
    checkConversation(conversation, `conversations[${index}]`, channels, check);
  });
}

function checkConversation(
  { channel, topic, between, messages }: OrganizationFile["conversations"][number],
  field: string,
  channels: ReadonlySet<string>,
  check: (address: string, field: string, allowed?: Set<string>) => void,
): void {
  if ((channel === undefined) === (between === undefined) || (channel === undefined) !== (topic === undefined))
    fail(field, "needs either a channel and a topic, or between");
  if (channel !== undefined && !channels.has(nameKey(channel)))
    fail(`${field}.channel`, `${channel} is not in this file`);
  between?.forEach((address, position) => {
    check(address, `${field}.between[${position}]`);
  });
  const participants = between && new Set(between.map((address) => address.toLowerCase()));
  messages.forEach(({ from, sent, reactions, votes }, position) => {
    const message = `${field}.messages[${position}]`;
    check(from, `${message}.from`, participants);
    if (!sentPattern.test(sent)) fail(`${message}.sent`, `${sent} is not of the form -3d 09:15`);
    for (const address of Object.values(reactions).flat()) check(address, `${message}.reactions`, participants);
    for (const address of votes.flat()) check(address, `${message}.votes`, participants);
  });
}

function checkUnique(values: string[], field: string, valueKind: string) {
  const seen = new Set<string>();
  for (const value of values.map((text) => nameKey(text.trim()))) {
    if (seen.has(value)) fail(field, `duplicate ${valueKind} ${value}`);
    seen.add(value);
  }
}
