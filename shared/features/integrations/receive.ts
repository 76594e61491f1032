import { createHash } from "node:crypto";
import { ApiError, badRequest, bodyTooLarge, notFound, unauthorized } from "../../base/errors.ts";
import type { Need } from "../../base/needs.ts";
import { accessChannelToSend } from "../../core/channels/access.ts";
import { checkTopic } from "../../core/channels/topic-names.ts";
import { silentMention } from "../../core/markdown/source/references.ts";
import { sendMessage } from "../../messaging/messages/send/actions.ts";
import { accessDestination, type Destination } from "../../messaging/messages/send/destination.ts";
import { readChannel } from "../../messaging/messages/send/recipients.ts";
import { composeUserMessage } from "../../messaging/messages/send/user-message.ts";
import type { Caller } from "../../services/identity/caller.ts";
import type { Realm } from "../../services/organization/access.ts";
import { findBot } from "../../store/users/bots.ts";
import { findUser } from "../../store/users/users.ts";
import { decodeBody } from "./body.ts";
import { contentUnder, topicName } from "./content.ts";
import { type EventFilter, isWanted } from "./event-filter.ts";
import { type Delivery, type Integration, type Post, UnknownEvent, UnreadablePayload } from "./integration.ts";
import { keepPayload } from "./last-payload.ts";
import { findIntegration } from "./load.ts";
import { tellOwner } from "./tell-owner.ts";
import { code, plain } from "./text.ts";

/** The maximum size of a service's request. */
const maxBodyBytes = 1024 * 1024;

interface DeliveryOptions extends EventFilter {
  /** The channel's ID or name; absent: a direct message to the bot's owner. */
  stream: string | undefined;
  /** Replaces the integration's topic. */
  topic: string | undefined;
}

type SendableChannel = Awaited<ReturnType<typeof accessChannelToSend>>;

/** The channel that the URL names, if the bot may send to it. */
export const namedChannel: Need<
  SendableChannel,
  { caller: Caller; params: { stream?: string | undefined }; realm: Promise<Realm> }
> = {
  early: (sent) => {
    const stream = sent("stream");
    return stream === undefined ? undefined : readChannel(channelOf(stream));
  },
  load: async ({ caller, params: { stream = "" }, realm }) =>
    accessChannelToSend(caller, channelOf(stream), await realm),
};

/**
 * Posts a service's delivery as a message of the caller, a bot. A delivery that the service repeats is posted once. Throws a 400
 * for a payload that cannot be read, and then tells the bot's owner.
 */
export async function receiveDelivery(
  caller: Caller,
  name: string,
  received: Omit<Delivery, "config">,
  options: DeliveryOptions,
  accessChannel: () => Promise<SendableChannel>,
  realm: Realm,
): Promise<void> {
  const found = await findIntegration(name);
  if (!found) throw notFound(`There is no integration '${name.slice(0, 100)}'`);
  if (received.body.length > maxBodyBytes) throw bodyTooLarge();
  const { stream, topic } = options;
  const channelAccess = stream === undefined ? undefined : accessChannel();
  // Its errors follow those of the signature and of the payload.
  channelAccess?.catch(() => {});
  const needsBot = found.isSigned || found.configuration || !channelAccess;
  const [bot] = await Promise.all([
    needsBot ? findBot(caller.id) : undefined,
    found.keepsPayload ? keepPayload(caller.id, received) : undefined,
  ]);
  const delivery = { ...received, config: bot?.configData ?? {} };
  checkSignature(found, delivery);
  const { post, id } = await readPost(caller, found, name, delivery, realm);
  if (!post || !isWanted(post.event, options)) return;
  const destination = channelAccess
    ? await channelDestination(caller, found, name, post, options, channelAccess, realm)
    : await accessDestination(caller, { kind: "direct", to: [bot?.ownerId ?? caller.id] }, realm);
  if (!destination) return;
  const message = await composeUserMessage(
    caller,
    contentUnder(destination.kind === "channel" ? destination.topic : undefined, post),
    destination,
    {
      client: `Zulip${name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Webhook`,
      readBySender: false,
      // A repeated local ID is dropped. Some services give an event the same ID for all URLs that receive it.
      echo: id ? { queueId: `integration-${name}`, localId: hash(JSON.stringify([stream, topic, id])) } : undefined,
    },
    realm,
  );
  await sendMessage(message);
}

const hash = (text: string) => createHash("sha256").update(text).digest("base64url");

const channelOf = (stream: string): number | string => (/^\d{1,15}$/.test(stream) ? Number(stream) : stream);

function checkSignature({ isSigned, title }: Integration, delivery: Delivery): void {
  const { webhook_secret: secret } = delivery.config;
  if (isSigned && secret && !isSigned(delivery, secret))
    throw unauthorized(`The request is not signed by ${title} with the bot's webhook_secret.`);
}

async function readPost(
  caller: Caller,
  { payload: schema, title, verify, toPost, deliveryId }: Integration,
  name: string,
  delivery: Delivery,
  realm: Realm,
): Promise<{ post: Post | undefined; id: string | undefined }> {
  try {
    const parsed = schema.safeParse(decodeBody(delivery));
    if (!parsed.success) {
      const { path = [] } = parsed.error.issues[0] ?? {};
      throw new UnreadablePayload(path.length === 0 ? "it has another form" : `the field ${path.join(".")} is missing`);
    }
    await verify?.(parsed.data, delivery);
    return { post: toPost(parsed.data, delivery), id: deliveryId?.(parsed.data, delivery) };
  } catch (error) {
    if (!(error instanceof UnreadablePayload)) throw error;
    const ownerId = (await findUser(caller.id))?.ownerId;
    if (error instanceof UnknownEvent) {
      const text =
        `Your bot ${silentMention({ id: caller.id, fullName: "" })} received an event from ${title} that is not known here and was not posted: ` +
        `${code(error.event.slice(0, 100))}. Further unknown events are accepted without a message to you.`;
      // A refusal would make some services stop sending.
      await tellOwner({ botId: caller.id, ownerId, problem: `${name} event` }, text, realm);
      return { post: undefined, id: undefined };
    }
    const text =
      `Your bot ${silentMention({ id: caller.id, fullName: "" })} received a request from ${title} that cannot be read: ${error.message}. ` +
      `Check the set-up of the integration \`${name}\`, and that its URL is used for ${title} alone. ` +
      "Further requests like this one are refused without a message to you.";
    await tellOwner({ botId: caller.id, ownerId, problem: `${name} payload` }, text, realm);
    throw badRequest(`The payload cannot be read: ${error.message}.`);
  }
}

/** A post's place; undefined if the channel does not exist, about which the bot's owner is told instead. */
async function channelDestination(
  caller: Caller,
  { title }: Integration,
  name: string,
  post: Post,
  { topic }: DeliveryOptions,
  channelAccess: ReturnType<typeof accessChannelToSend>,
  realm: Realm,
): Promise<Destination | undefined> {
  try {
    const { channel, isMuted } = await channelAccess;
    const policy = channel.topicsPolicy === "inherit" ? realm.settings.topics_policy : channel.topicsPolicy;
    const topicOrTitle = topicName(topic) || topicName(post.topic) || title;
    return {
      kind: "channel",
      channel,
      topic: policy === "empty_topic_only" ? "" : checkTopic(topicOrTitle, channel.topicsPolicy, realm.settings),
      isMuted,
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const ownerId = (await findUser(caller.id))?.ownerId;
    const text = `Your bot ${silentMention({ id: caller.id, fullName: "" })} could not post a message from ${title}: ${plain(error.message.replace(/\.$/, ""))}.`;
    // Once for all channels: whoever knows the URL can name any number of them.
    await tellOwner({ botId: caller.id, ownerId, problem: `${name} channel` }, text, realm);
    if (error.code === "STREAM_DOES_NOT_EXIST") return undefined;
    throw error;
  }
}
