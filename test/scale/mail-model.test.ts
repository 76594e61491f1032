import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { handler as deleteMessage } from "../../functions/messages/delete-message.ts";
import { handler as editMessage } from "../../functions/messages/edit-message.ts";
import { handler as sendMessage } from "../../functions/messages/send-message.ts";
import { handler as markFlags } from "../../functions/messages/update-message-flags.ts";
import { handler as editSettings } from "../../functions/settings/edit-settings.ts";
import { handler as setTopicPolicy } from "../../functions/user-topics/update-user-topic.ts";
import { observeAwsCalls } from "../../shared/base/aws/observe.ts";
import { checkMissedAgainJob } from "../../shared/messaging/missed-mail/jobs.ts";
import { checkMissedAgain } from "../../shared/messaging/missed-mail/note-missed.ts";
import { sendMissed } from "../../shared/messaging/missed-mail/send.ts";
import { notifications } from "../../shared/messaging/mobile-push/log-subscriber.ts";
import { startNotificationCursor } from "../../shared/messaging/notifications/notifications-enabled.ts";
import { consumeLog } from "../../shared/services/jobs/log-consumer.ts";
import { sendMailJob } from "../../shared/services/mail/jobs.ts";
import { deliverMail } from "../../shared/services/mail/send.ts";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { findUserTopic } from "../../shared/store/channels/user-topics.ts";
import { findDueMail, seenDueMails } from "../../shared/store/delivery/missed-messages.ts";
import { cursors, findCursor } from "../../shared/store/log/cursors.ts";
import { withRequestScope } from "../../shared/store/table/recent-writes.ts";
import { putPresence } from "../../shared/store/users/presence.ts";
import { withFailure } from "../support/faults.ts";
import { callInProcess } from "../support/hosts/in-process.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { forAtMost } from "../support/property.ts";
import { fc } from "../support/random.ts";
import { lagOf, lagReads } from "../support/table/lagging-table.ts";
import { useTarget } from "../support/target.ts";
import { aChannel, aPerson, isLocal, type Person } from "../support/world.ts";

/**
 * Random people write, read, leave, come back, move, delete and change what they want to be mailed about, while functions die at
 * random calls. Who is mailed about what must match a simple truth. The test's own process runs the functions, with a clock of
 * its own; the host does not send mail.
 */

const runs = Number(process.env.SKEIN_MODEL_RUNS ?? 4);
const names = ["Beatrice", "Benedick", "Hero", "Claudio"];
const topics = ["masque", "orchard"];
const periodSeconds = 60;
const offlineAfterSeconds = 200;
const [followed, muted] = [3, 1];

const index = fc.nat({ max: names.length - 1 });
const topic = fc.constantFrom(...topics);
const call = fc.integer({ min: 1, max: 40 });
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("send" as const), who: index, topic, mentions: fc.nat({ max: 8 }) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("direct" as const), who: index, to: index }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("consume" as const), diesAt: fc.option(call, { freq: 2 }) }) },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      seconds: fc.constantFrom(1, 5, 30, 61, 100, 205, 215),
      diesAt: fc.option(call, { freq: 2 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("active" as const), who: index }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("read" as const), who: index, at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), at: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("move" as const), at: fc.nat(), topic }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("policy" as const),
      who: index,
      topic,
      policy: fc.constantFrom(0, muted, followed, followed),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("want" as const),
      who: index,
      setting: fc.constantFrom("enable_offline_email_notifications", "enable_stream_email_notifications"),
      value: fc.boolean(),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface KnownMessage {
  id: number;
  label: string;
  sentAt: number;
  sender: number;
  /** Of a channel message. */
  topic?: string;
  /** Positions of the participants of a direct message. */
  participants?: number[];
  /** The position of the mentioned person. */
  mentions?: number | "all";
  isDeleted?: true;
}

interface KnownPerson {
  person: Person;
  lastActive: number;
  read: Set<number>;
  settings: Record<string, boolean>;
  /** Messages that the person has missed and that are not decided. */
  missed: Set<number>;
  /**
   * Messages about which no setting asked for mail when they were missed: they need no mail, and may be in one that is due for
   * another reason if a setting asks for it by then.
   */
  unasked: Set<number>;
}

interface QueuedCheck {
  job: Parameters<typeof checkMissedAgain>[0];
  at: number;
}

class Scene {
  private readonly people: KnownPerson[] = [];
  private readonly messages: KnownMessage[] = [];
  private unconsumed: KnownMessage[] = [];
  /** For each message, the people who were online when it came. */
  private readonly online = new Map<number, Set<number>>();
  private readonly checks: QueuedCheck[] = [];
  private readonly mailJobs: Parameters<typeof deliverMail>[0][] = [];
  private channel: Channel | undefined;
  private readonly expected: string[] = [];
  private readonly allowed = new Set<string>();
  private readonly received: string[] = [];

  async setUp() {
    for (const name of names) {
      const person = await aPerson(name, { role: name === names[0] ? "owner" : "member" });
      const form = {
        email_notifications_batching_period_seconds: periodSeconds,
        automatically_follow_topics_policy: 4,
        automatically_follow_topics_where_mentioned: false,
        automatically_unmute_topics_in_muted_streams_policy: 4,
      };
      await this.callAs(person, editSettings, { form });
      const settings = { enable_offline_email_notifications: true, enable_stream_email_notifications: false };
      this.people.push({ person, lastActive: 0, read: new Set(), settings, missed: new Set(), unasked: new Set() });
    }
    this.channel = await aChannel(
      "church",
      this.people.map(({ person }) => person),
    );
    await withRequestScope(() => consumeLog(notifications));
  }

  /** Takes a job instead of its queue. */
  enqueue(body: string, delaySeconds: number) {
    const { kind, job } = JSON.parse(body);
    if (kind === checkMissedAgainJob.name) this.checks.push({ job, at: now() + delaySeconds });
    if (kind === sendMailJob.name) this.mailJobs.push(job);
  }

  private async callAs(
    person: Person,
    handler: Parameters<typeof callInProcess>[0],
    input: Parameters<typeof callInProcess>[2],
  ) {
    const { status, body } = await callInProcess(handler, person, input);
    expect([status, body.msg]).toEqual([200, ""]);
    return body;
  }
  private at = (position: number): KnownPerson => this.people[position] as KnownPerson;
  private messageAt = (position: number) => this.messages[position % Math.max(1, this.messages.length)];
  private idOf = (position: number) => this.at(position).person.id;
  private isAway = (position: number) => now() - this.at(position).lastActive > offlineAfterSeconds;

  async do(action: Step): Promise<void> {
    const channelId = this.channel?.id ?? 0;
    switch (action.do) {
      case "send": {
        const { topic, mentions } = action;
        const mentioned = mentions < names.length ? mentions : mentions === names.length ? ("all" as const) : undefined;
        const name =
          mentioned === undefined
            ? ""
            : mentioned === "all"
              ? "@**all** "
              : `@**${names[mentioned]}|${this.idOf(mentioned)}** `;
        return this.send(action.who, { type: "channel", to: channelId, topic }, name, {
          topic,
          ...(mentioned !== undefined && { mentions: mentioned }),
        });
      }
      case "direct": {
        const participants = [...new Set([action.who, action.to])];
        const to = participants.map((position) => this.idOf(position));
        return this.send(action.who, { type: "direct", to }, "", { participants });
      }
      case "consume":
        return this.consume(action.diesAt);
      case "wait":
        advance(action.seconds);
        return this.work(action.diesAt);
      case "active": {
        const reader = this.at(action.who);
        reader.lastActive = now();
        const presence = { userId: reader.person.id, lastActive: now(), lastConnected: now(), updateId: now() };
        await putPresence(presence);
        // Presences may be read up to the longest lag late.
        advance(3);
        return;
      }
      case "read": {
        const message = this.messageAt(action.at);
        if (!message || message.isDeleted || (message.participants && !message.participants.includes(action.who)))
          return;
        const form = { messages: [message.id], op: "add", flag: "read" };
        await this.callAs(this.at(action.who).person, markFlags, { form });
        this.at(action.who).read.add(message.id);
        return;
      }
      case "delete":
      case "move": {
        const message = this.messageAt(action.at);
        if (!message || message.isDeleted || message.topic === undefined) return;
        const path = { message_id: String(message.id) };
        if (action.do === "delete") {
          await this.callAs(this.at(0).person, deleteMessage, { path });
          message.isDeleted = true;
        } else if (action.topic !== message.topic) {
          const form = { topic: action.topic, send_notification_to_new_thread: false };
          await this.callAs(this.at(0).person, editMessage, { path, form });
          message.topic = action.topic;
        }
        return;
      }
      case "policy": {
        const form = { stream_id: channelId, topic: action.topic, visibility_policy: action.policy };
        await this.callAs(this.at(action.who).person, setTopicPolicy, { form });
        return;
      }
      case "want": {
        await this.callAs(this.at(action.who).person, editSettings, { form: { [action.setting]: action.value } });
        this.at(action.who).settings[action.setting] = action.value;
        return;
      }
    }
  }

  private async send(
    sender: number,
    form: Record<string, unknown>,
    prefix: string,
    facts: Pick<KnownMessage, "topic" | "participants" | "mentions">,
  ) {
    const label = `m${this.messages.length}.`;
    const { id } = await this.callAs(this.at(sender).person, sendMessage, {
      form: { ...form, content: `${prefix}${label}` },
    });
    const message = { id, label, sentAt: now(), sender, ...facts };
    this.messages.push(message);
    this.unconsumed.push(message);
  }

  private async policyOf(position: number, name: string | undefined) {
    if (name === undefined) return undefined;
    const { id = 0 } = this.channel ?? {};
    return (await withRequestScope(() => findUserTopic(this.idOf(position), id, name)))?.policy;
  }

  /** The log consumer's step, as a new process, and as another one if that dies. */
  private async consume(diesAt: number | null) {
    seenDueMails.clear();
    const consume = () => withRequestScope(() => consumeLog(notifications));
    if (diesAt !== null) {
      const before = await findCursor(cursors.notifications);
      const { reached } = await withFailure(diesAt, diesAt % 2 ? "before" : "afterwards", consume);
      const isDone = (await findCursor(cursors.notifications))?.sequence !== before?.sequence;
      if (isDone) await this.note();
      if (reached) {
        // Until the lease of the process that died expires.
        advance(91);
        await this.work(null);
        seenDueMails.clear();
      }
    }
    await consume();
    await this.note();
  }

  /** Who has missed the messages that the log consumer has processed. */
  private async note() {
    const parts = Map.groupBy(this.unconsumed, ({ participants, topic }) => participants?.toSorted().join() ?? topic);
    this.unconsumed = [];
    for (const some of parts.values())
      for (const [position, reader] of this.people.entries()) {
        if (!(await this.isCandidate(position, some))) continue;
        const missed = (await this.asksForMail(position, some[0]?.topic)) ? reader.missed : reader.unasked;
        for (const { id } of some)
          if (this.isAway(position)) missed.add(id);
          else this.online.set(id, (this.online.get(id) ?? new Set()).add(position));
      }
  }

  private async isCandidate(position: number, messages: readonly KnownMessage[]): Promise<boolean> {
    const existing = messages.filter(({ isDeleted }) => !isDeleted);
    const [first] = existing;
    if (!first || existing.every(({ sender }) => sender === position)) return false;
    if (first.participants) return first.participants.includes(position);
    return (
      existing.some(({ mentions }) => mentions === position || mentions === "all") ||
      this.at(position).settings.enable_stream_email_notifications === true ||
      (await this.policyOf(position, first.topic)) === followed
    );
  }

  /** Whether any setting asks for mail about some message of a topic, or a direct message. */
  private async asksForMail(position: number, topicName: string | undefined): Promise<boolean> {
    const { settings } = this.at(position);
    return (
      settings.enable_offline_email_notifications === true ||
      (topicName !== undefined && settings.enable_stream_email_notifications === true) ||
      (await this.policyOf(position, topicName)) === followed
    );
  }

  private async wants(position: number, { sender, participants, mentions, topic }: KnownMessage): Promise<boolean> {
    const { settings } = this.at(position);
    if (sender === position) return false;
    const policy = await this.policyOf(position, topic);
    if (
      (participants || mentions === position || (mentions === "all" && policy !== muted)) &&
      settings.enable_offline_email_notifications
    )
      return true;
    if (participants || mentions === position) return false;
    return policy === followed || (policy !== muted && settings.enable_stream_email_notifications === true);
  }

  /** Does what is due: second checks, then mails. */
  private async work(diesAt: number | null): Promise<void> {
    const run = async (work: () => Promise<void>) => {
      if (diesAt !== null)
        await withFailure(diesAt, diesAt % 2 ? "before" : "afterwards", () => withRequestScope(work));
      await withRequestScope(work);
    };
    const due = this.checks.filter(({ at }) => at <= now());
    for (const check of due) {
      this.checks.splice(this.checks.indexOf(check), 1);
      const { message_ids: ids, conversation, channel_id: channelId } = check.job;
      const topicName = channelId === undefined ? undefined : conversation.slice(conversation.indexOf("#") + 1);
      for (const [position, reader] of this.people.entries()) {
        const isChecked = check.job.user_ids.includes(reader.person.id);
        const wasOnline = ids.some((id) => this.online.get(id)?.has(position));
        const missed = (await this.asksForMail(position, topicName)) ? reader.missed : reader.unasked;
        if (isChecked && wasOnline && this.isAway(position) && !ids.every((id) => reader.read.has(id)))
          for (const id of ids) missed.add(id);
      }
      await run(() => checkMissedAgain(check.job));
    }
    for (const [position, reader] of this.people.entries()) {
      const { dueAt } = (await findDueMail(reader.person.id)) ?? {};
      if (dueAt !== undefined && dueAt <= now()) await this.decide(position);
      await run(() => sendMissed(reader.person.id));
    }
    for (const job of this.mailJobs.splice(0))
      await deliverMail(job, async ({ to, text }) => {
        for (const [label] of text.matchAll(/\bm\d+\./g)) this.received.push(`${to} ${label}`);
        return true;
      });
  }

  /** What a person must be mailed about, as things are now. */
  private async decide(position: number) {
    const reader = this.at(position);
    const wanted: string[] = [];
    const allowed: string[] = [];
    for (const { label, ...message } of this.messages) {
      const mails = reader.missed.has(message.id) ? wanted : reader.unasked.has(message.id) ? allowed : undefined;
      const isOpen = mails && !message.isDeleted && !reader.read.has(message.id);
      if (isOpen && (await this.wants(position, { label, ...message }))) mails.push(`${reader.person.email} ${label}`);
    }
    if (wanted.length > 0 && !this.isAway(position)) return;
    this.expected.push(...wanted);
    for (const mail of allowed) this.allowed.add(mail);
    // Such a mail may be postponed instead, and then contains what is wanted by then.
    if (allowed.length > 0 && !this.isAway(position)) for (const id of reader.missed) reader.unasked.add(id);
    else reader.unasked.clear();
    reader.missed.clear();
  }

  /** Lets everything happen that is due later, and compares. */
  async finish() {
    await this.consume(null);
    for (let round = 0; round < 8; round++) {
      advance(215);
      await this.work(null);
    }
    expect(new Set(this.received).size).toBe(this.received.length);
    const expected = new Set(this.expected);
    const optional = this.received.filter((mail) => !expected.has(mail) && this.allowed.has(mail));
    expect(this.received.toSorted()).toEqual([...this.expected, ...optional].toSorted());
    for (const { person, missed } of this.people) {
      expect([person.name, ...missed]).toEqual([person.name]);
      expect((await findDueMail(person.id))?.dueAt).toBeUndefined();
    }
  }
}

let aheadMs = 0;
const advance = (seconds: number) => {
  aheadMs += seconds * 1000;
};
const now = () => Math.floor(Date.now() / 1000);

let host: PrivateHost;
let scene: Scene | undefined;
beforeAll(async () => {
  if (!isLocal()) return;
  const lag = lagOf(process.env);
  host = await aPrivateHost({ SKEIN_MAIL_FROM: "" });
  useTarget(host);
  process.env.MAIL_FROM = "skein@globe.test";
  process.env.QUEUE_URL_MAIL ??= "mail";
  const realNow = Date.now;
  vi.spyOn(Date, "now").mockImplementation(() => realNow() + aheadMs);
  if (lag) lagReads(lag);
  observeAwsCalls(async ({ client, input }, proceed) => {
    if (client !== "SQSClient") return proceed();
    const entries = (input.Entries as Record<string, unknown>[] | undefined) ?? [input];
    for (const { MessageBody, DelaySeconds } of entries) scene?.enqueue(String(MessageBody), Number(DelaySeconds ?? 0));
    return { output: {} };
  });
  await startNotificationCursor();
}, 120_000);
afterAll(() => host?.stop());

test.skipIf(!isLocal())(
  "people are mailed about exactly what they missed, have not read and want, once",
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 60, maxLength: 80, size: "max" }),
        forAtMost(400_000, async (steps) => {
          scene = new Scene();
          await scene.setUp();
          for (const action of steps) await scene.do(action);
          await scene.finish();
        }),
      ),
      { numRuns: runs, endOnFailure: true },
    );
  },
  600_000,
);
