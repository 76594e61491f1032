import { ApiError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { Values } from "../../base/schema/params.ts";
import { truncate } from "../../base/schema/text.ts";
import { secondsPerDay } from "../../base/time.ts";
import { accessChannelToSend } from "../../core/channels/access.ts";
import { checkTopic } from "../../core/channels/topic-names.ts";
import { quoted } from "../../core/markdown/source/fenced.ts";
import { deleteFile, getFile } from "../../services/blobs/bucket.ts";
import { toCaller } from "../../services/identity/access.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { enqueue } from "../../services/jobs/queues.ts";
import { HopelessJob } from "../../services/jobs/worker.ts";
import { findRecipient, type Recipient } from "../../services/mail/addresses.ts";
import { composeMail } from "../../services/mail/compose.ts";
import { sendMailJob } from "../../services/mail/jobs.ts";
import { loadRealm, type Realm } from "../../services/organization/access.ts";
import { emailGatewayId } from "../../services/organization/system-bots.ts";
import { createRemoval, endRemoval } from "../../store/organization/file-removals.ts";
import { succeeds } from "../../store/table/conflicts.ts";
import { transact } from "../../store/table/transactions.ts";
import { findAccount } from "../../store/users/accounts.ts";
import { findBot } from "../../store/users/bots.ts";
import { findUser } from "../../store/users/users.ts";
import { findReadable } from "../messages/access.ts";
import type { OutgoingMessage } from "../messages/send/actions.ts";
import { accessDestination, type Destination } from "../messages/send/destination.ts";
import { composeDirectNotice } from "../messages/send/notices.ts";
import { channelRecipient, sendOnce } from "../messages/send/send-once.ts";
import { composeUserMessage } from "../messages/send/user-message.ts";
import { contentOf } from "./content.ts";
import { countMail, hash, keyOf, TooManyMails } from "./counts.ts";
import type { receiveMailJob } from "./jobs.ts";
import { type IncomingMail, readMime } from "./read-mime.ts";
import { dropReason, type Verdict, verdictOn } from "./trust.ts";

/** How long a mail is kept that could not be delivered: as long as its dead letter. */
const keptMs = 14 * secondsPerDay * 1000;
/** The name of the client by which messages were sent, which tells that they came by mail. */
const client = "Email";

type Job = Values<typeof receiveMailJob.body>;

/**
 * Delivers a mail to each of its recipients, once, however often its job is repeated. Throws HopelessJob for a mail that cannot be
 * delivered: it is kept for two weeks unless it is one too many, and its author is told if they are a person of the organization.
 */
export async function receiveMail(job: Job): Promise<void> {
  const to = job.unchecked ? await existing(job.to) : job.to;
  if (to.length === 0) {
    logDropped(job, "there is no such address");
    return deleteFile(job.file);
  }
  const removal = { file: job.file, dueAt: job.received_at * 1000 + keptMs };
  // A former attempt has written it.
  const isFirst = await succeeds(transact([createRemoval(removal)]));
  const stored = await getFile(job.file);
  // A former attempt has delivered the mail, and did not live to say so.
  if (!stored) return;
  const mail = await readMime(stored.content);
  const verdict = verdictOn(mail, job.passed);
  const failures: Error[] = [];
  for (const address of to) {
    try {
      await deliverTo(address, mail, verdict, job, isFirst);
    } catch (error) {
      if (!(error instanceof ApiError) && !(error instanceof HopelessJob)) throw error;
      failures.push(error);
    }
  }
  const [failure] = failures;
  if (failure) await tellAuthor(mail, verdict, job, failure.message);
  const lasting = failures.find((one) => !(one instanceof TooManyMails));
  if (lasting) throw new HopelessJob(`The mail ${job.file} was not delivered: ${lasting.message}`);
  // A flood must not fill the files.
  if (failure) logDropped(job, failure.message);
  await deleteFile(job.file);
  await endRemoval(removal);
}

const logDropped = ({ file }: Job, reason: string) => console.error(JSON.stringify({ mail: file, dropped: reason }));

/** The addresses that are the fleet's. Strangers write to any name in a domain; that is no failure of which an operator would have to know. */
async function existing(addresses: readonly string[]): Promise<string[]> {
  const found = await Promise.all(addresses.map(async (address) => ((await findRecipient(address)) ? [address] : [])));
  return found.flat();
}

async function deliverTo(to: string, mail: IncomingMail, verdict: Verdict, job: Job, isFirst: boolean): Promise<void> {
  const recipient = await findRecipient(to);
  if (!recipient) throw new HopelessJob("There is no such address");
  const dropped = dropReason(mail, job.from, recipient.kind === "reply");
  if (dropped !== undefined) return logDropped(job, dropped);
  const realm = await loadRealm();
  // What was refused once is refused again, but no mail is counted twice.
  await countMail(recipient, mail, verdict, isFirst ? 1 : 0);
  // The same mail may come by two ways, such as a list and directly.
  const id = hash([JSON.stringify(keyOf(recipient)), mail.messageId || job.file]);
  if (recipient.kind === "reply") await deliverReply(recipient, id, mail, verdict, realm);
  else await deliverToChannel(recipient, id, mail, verdict, realm);
}

/** A person who may act, or an error. */
async function accessActor(userId: number): Promise<Caller> {
  const user = await findUser(userId);
  const account = user && (await findAccount(user.email));
  if (!account?.active || account.realmDeactivated) throw new HopelessJob("The account is deactivated");
  return toCaller(account);
}

async function deliverToChannel(
  { address, options }: Extract<Recipient, { kind: "channel" }>,
  id: string,
  mail: IncomingMail,
  verdict: Verdict,
  realm: Realm,
): Promise<void> {
  const { channelId, creatorId, senderId } = address;
  const isGateway = senderId === emailGatewayId(realm);
  const creator = await accessActor(creatorId);
  const author = isGateway || senderId === creatorId ? creator : await accessActor(senderId);
  // An address has no more rights than its creator has now.
  if (author !== creator && (await findBot(senderId))?.ownerId !== creatorId)
    throw new HopelessJob("The bot does not belong to the creator of the address");
  const { channel } = await accessChannelToSend(creator, channelId, realm);
  if (author !== creator) await accessChannelToSend(author, channelId, realm);
  await sendOnce(`mail-${id}`, channelRecipient, async () => {
    const mailed = await contentOf(
      mail,
      verdict,
      {
        showSender: options.has("show-sender"),
        includeFooter: options.has("include-footer"),
        // What is forwarded is the mail.
        includeQuotes: options.has("include-quotes") || isForwarded(mail.subject),
        preferHtml: options.has("prefer-html"),
        keepRest: true,
      },
      author.id,
      realm,
    );
    const topicsPolicy = channel.topicsPolicy === "inherit" ? realm.settings.topics_policy : channel.topicsPolicy;
    const topic =
      topicsPolicy === "empty_topic_only" ? "" : checkTopic(topicOf(mail.subject), topicsPolicy, realm.settings);
    const message = await composeMailed(author, mailed, { kind: "channel", channel, topic }, realm);
    return isGateway ? { ...message, senderId, policyRaise: undefined } : message;
  });
}

/** Whoever writes to an address may link to files that they cannot read: only those of the mail are shared. */
const composeMailed = (
  author: Caller,
  { content, pathIds }: Awaited<ReturnType<typeof contentOf>>,
  destination: Destination,
  realm: Realm,
): Promise<OutgoingMessage> =>
  composeUserMessage(author, content, destination, { client, readBySender: true, claimable: pathIds }, realm);

const replyMark =
  /^\s*(?:\[[^\]]{0,20}\]\s*)?(?:re|aw|antw|sv|vs|rif|ref|fwd?|wg|tr|rv|i|enc)(?:\[\d{1,3}\])?\s*[:：]\s*/i;

/** A subject as the topic's name: without the marks of answers and forwards, and what a topic must not contain. */
export function topicOf(subject: string): string {
  let topic = subject
    .slice(0, 1000)
    .replaceAll(/[\p{Cc}\p{Cs}\p{Cn}\s]+/gu, " ")
    .trim();
  while (replyMark.test(topic)) topic = topic.replace(replyMark, "");
  return truncate(topic, limits.topicLength, "...") || "Email without a subject";
}

const isForwarded = (subject: string) => /^\s*(?:fwd?|wg|tr|i|rv)\s*:/i.test(subject);

/**
 * Posts a person's reply in the conversation. Refused if another than the person has written it: who has received a mail may have
 * passed it on, and with it the address.
 */
async function deliverReply(
  { userId, messageId }: Extract<Recipient, { kind: "reply" }>,
  id: string,
  mail: IncomingMail,
  verdict: Verdict,
  realm: Realm,
): Promise<void> {
  const author = await accessActor(userId);
  const isOwn = withoutTag(mail.from?.address) === withoutTag(author.email) && verdict !== "fail";
  if (!isOwn) throw new HopelessJob("The reply is not from the person whose address it was sent to");
  const jobId = `mail-${id}`;
  const options = { showSender: false, includeFooter: false, includeQuotes: false, preferHtml: false, keepRest: false };
  try {
    const accessed = await findReadable(author, messageId, realm);
    if (!accessed) throw new HopelessJob("the message is gone, or you can no longer read it");
    const { channelId, topic, userIds = [] } = accessed.message;
    const destination = await accessDestination(
      author,
      channelId === undefined ? { kind: "direct", to: userIds } : { kind: "channel", channel: channelId, topic },
      realm,
    );
    await sendOnce(jobId, channelRecipient, async () =>
      composeMailed(author, await contentOf(mail, verdict, options, author.id, realm), destination, realm),
    );
  } catch (error) {
    if (!(error instanceof ApiError) && !(error instanceof HopelessJob)) throw error;
    // Nothing is lost: the person gets the text back.
    const text = `Your reply by email could not be posted: ${error.message}\n\n${quoted(mail.text.slice(0, limits.messageLength / 2))}`;
    await sendOnce(`${jobId}-refused`, userId, () => composeDirectNotice(realm, userId, text, { reader: author }));
  }
}

/** An address as mail servers compare it, without what people add to theirs after a plus sign. */
const withoutTag = (address = "") => address.toLowerCase().replace(/\+[^@]*(?=@)/, "");

/** Tells a person of the organization, whom a server has confirmed as the author, that a mail was not delivered; once for each mail. */
async function tellAuthor({ from, subject }: IncomingMail, verdict: Verdict, job: Job, reason: string): Promise<void> {
  if (verdict !== "pass" || !from || !(await findAccount(from.address))?.active) return;
  const mail = composeMail({
    subject: `Not delivered: ${subject.slice(0, 200)}`,
    paragraphs: ["Your email was not delivered.", `${reason}.`],
  });
  await enqueue(sendMailJob, { id: `undelivered-${hash([job.file])}`, to: from.address, ...mail });
}
