import { expect, test } from "vitest";
import { sendWelcome } from "../../shared/features/users/welcome.ts";
import { checkMissedAgainJob, sendMissedMailsJob } from "../../shared/messaging/missed-mail/jobs.ts";
import { enqueue } from "../../shared/services/jobs/queues.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import { findDueMail } from "../../shared/store/delivery/missed-messages.ts";
import { conversationName } from "../../shared/store/messages/conversations.ts";
import { findPresence, putPresence } from "../../shared/store/users/presence.ts";
import { listWaiting, mailsTo, type ReceivedMail, skipBatchingPeriod } from "../support/mails.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** Creates an offline user who is mailed a second after the first missed message. */
async function aReader(name: string, settings: Record<string, unknown> = {}): Promise<Person> {
  const person = await aPerson(name);
  const reply = await person.call("PATCH", "/settings", {
    email_notifications_batching_period_seconds: 1,
    ...settings,
  });
  if (reply.status !== 200) throw new Error(reply.body.msg);
  return person;
}
const waitForMails = (person: Person, count = 1): Promise<ReceivedMail[]> =>
  eventually(async () => {
    const mails = await mailsTo(person.email);
    return mails.length >= count && mails;
  });
const subjectsOf = async (person: Person) => (await mailsTo(person.email)).map(({ subject }) => subject).sort();
const subscribe = (person: Person, channel: { id: number }, property: string, value: unknown) =>
  person.call("POST", "/users/me/subscriptions/properties", {
    subscription_data: [{ stream_id: channel.id, property, value }],
  });

test.concurrent("missed messages are mailed, one mail for each conversation, without those read meanwhile", async () => {
  const [hero, claudio] = [
    await aReader("Hero", {
      email_notifications_batching_period_seconds: 600,
      automatically_follow_topics_where_mentioned: false,
    }),
    await aPerson("Claudio"),
  ];
  const church = await aChannel("church", [hero, claudio]);
  const first = await sendDirect(claudio, [hero], "Sweet Hero, ==now== thy image doth appear");
  const second = await sendDirect(claudio, [hero], "In the **rare** semblance that I loved it first.");
  const readId = await sendDirect(claudio, [hero], "This you will have read.");
  const mention = await sendToChannel(claudio, church, "The wedding", `@**Hero|${hero.id}** stand thee by`);
  await sendToChannel(claudio, church, "The wedding", "and nobody else");
  await hero.do("POST", "/messages/flags", { messages: [readId], op: "add", flag: "read" });
  await skipBatchingPeriod(hero.id, [first, second, mention]);

  const mails = await waitForMails(hero, 2);
  const [direct, channel] = [...mails].sort((a, b) => Number(a.subject[0] === "#") - Number(b.subject[0] === "#"));
  expect(direct?.subject).toBe("DMs with Claudio");
  expect(direct?.text).toContain(
    "Claudio:\nSweet Hero, ==now== thy image doth appear\n\nClaudio:\nIn the rare semblance that I loved it first.\n\n-- \n",
  );
  expect(direct?.text).toMatch(
    new RegExp(`Reply in Globe Theatre: https?://[^/]+/#narrow/dm/[\\d,]+-dm/near/${first}\n`),
  );
  expect(direct?.text).not.toContain("This you will have read");
  expect(channel?.subject).toBe(`#${church.name} > The wedding`);
  expect(channel?.text).toContain(
    "Claudio:\n@Hero stand thee by\n\n-- \nYou are receiving this because you were mentioned.\n",
  );
  expect(channel?.text).toMatch(
    new RegExp(`/#narrow/channel/${church.id}-channel/topic/The\\.20wedding/near/${mention}\n`),
  );
  expect(channel?.text).not.toContain("nobody else");
  expect(await listWaiting(hero.id)).toEqual([]);
  expect(mails).toHaveLength(2);
});

test.concurrent("settings for mentions, channels, topics and senders decide what is mailed", async () => {
  const [sender, bore] = [await aPerson("Benedick", { role: "owner" }), await aPerson("Dogberry")];
  const mailDisabled = await aReader("Disabled", { enable_offline_email_notifications: false });
  const byDefault = await aReader("Default");
  const allChannels = await aReader("All Channels", { enable_stream_email_notifications: true });
  const noWildcards = await aReader("No Wildcards", {
    wildcard_mentions_notify: false,
    enable_followed_topic_wildcard_mentions_notify: false,
  });
  const oneChannel = await aReader("One Channel");
  const follower = await aReader("Follower");
  const notForFollowed = await aReader("Not Followed", { enable_followed_topic_email_notifications: false });
  const starter = await aReader("Starter");
  const readers = [starter, mailDisabled, byDefault, allChannels, noWildcards, oneChannel, follower, notForFollowed];
  const [masque, arbour] = [
    await aChannel("masque", [sender, bore, ...readers]),
    await aChannel("arbour", [sender, ...readers]),
  ];
  await subscribe(oneChannel, masque, "email_notifications", true);
  await subscribe(allChannels, arbour, "email_notifications", false);
  await subscribe(byDefault, masque, "is_muted", true);
  for (const person of [follower, notForFollowed])
    await person.do("POST", "/user_topics", { stream_id: masque.id, topic: "dance", visibility_policy: 3 });
  await oneChannel.do("POST", `/users/me/muted_users/${bore.id}`);
  const group = `watch ${oneChannel.id}`;
  await sender.do("POST", "/user_groups/create", {
    name: group,
    description: "",
    members: [byDefault.id, mailDisabled.id],
  });

  await sendToChannel(sender, masque, "dance", "Come, lady");
  await sendToChannel(bore, masque, "watch", "Are you good men and true?");
  await sendToChannel(starter, arbour, "gossip", "Who begins a topic follows it");
  await sendToChannel(sender, arbour, "gossip", "Nobody else is mailed of this");
  await sendToChannel(sender, arbour, "call", "@**all** to the orchard");
  await sendToChannel(sender, masque, "group", `@*${group}* to the orchard`);
  for (const person of [mailDisabled, bore]) await sendDirect(sender, [person], "directly");

  const topicSubject = (channel: { name: string }, topic: string) => `#${channel.name} > ${topic}`;
  const callSubject = topicSubject(arbour, "call");
  const expected: [Person, string[]][] = [
    [
      allChannels,
      [callSubject, topicSubject(masque, "dance"), topicSubject(masque, "group"), topicSubject(masque, "watch")],
    ],
    [oneChannel, [callSubject, topicSubject(masque, "dance"), topicSubject(masque, "group")]],
    [byDefault, [callSubject, topicSubject(masque, "group")]],
    [follower, [callSubject, topicSubject(masque, "dance")]],
    [starter, [callSubject, topicSubject(arbour, "gossip")]],
    [notForFollowed, [callSubject]],
    [noWildcards, []],
    [mailDisabled, []],
  ];
  for (const [person, expectedSubjects] of expected) {
    await waitForMails(person, expectedSubjects.length);
    expect([person.name, await subjectsOf(person)]).toEqual([person.name, expectedSubjects.sort()]);
  }
});

test.concurrent("a mail omits content if the user's setting says so, and has the organization's name if it says so", async () => {
  const sender = await aPerson("Borachio");
  const secret = await aReader("Secret", {
    message_content_in_email_notifications: false,
    realm_name_in_email_notifications_policy: 2,
    email_notifications_batching_period_seconds: 600,
  });

  const ids = [
    await sendDirect(sender, [secret], "I have to-night wooed Margaret"),
    await sendDirect(sender, [secret], "the Lady Hero's gentlewoman"),
  ];
  await skipBatchingPeriod(secret.id, ids);

  const [mail] = await waitForMails(secret);
  expect(mail?.subject).toBe("New messages [Globe Theatre]");
  expect(mail?.text).toContain("You have 2 new messages in Globe Theatre.");
  expect(mail?.html).toContain("<p>You have 2 new messages in Globe Theatre.</p>");
  expect(`${mail?.text}${mail?.html}`).not.toMatch(/wooed|gentlewoman|Borachio/);
});

test.concurrent("topic names, group conversations and long messages are mailed correctly", async () => {
  const [sender, third] = [await aPerson("Conrade"), await aPerson("Ursula")];
  const reader = await aReader("Beatrice");

  await sendDirect(sender, [reader, third], `Thus ${"and so ".repeat(300)}`);

  const [mail] = await waitForMails(reader);
  expect(mail?.subject).toMatch(/^Group DMs with (Conrade and Ursula|Ursula and Conrade)$/);
  expect(mail?.text).toMatch(/^Conrade:\nThus and so .*…\n\n-- \n/);
  expect(mail?.text.length).toBeLessThan(1800);
});

test.concurrent("an online user is mailed only after going away without reading the message", async () => {
  const sender = await aPerson("Margaret");
  const [online, offline] = [await aReader("Online"), await aReader("Offline")];
  await online.do("POST", "/users/me/presence", { status: "active" });

  const id = await sendDirect(sender, [online, offline], "Is it not strange?");
  const secondCheck = {
    conversation: conversationName([sender.id, online.id, offline.id]),
    message_ids: [id],
    sent_at: Math.floor(Date.now() / 1000),
    user_ids: [online.id],
  };
  await waitForMails(offline);
  expect(await mailsTo(online.email)).toEqual([]);
  // The user is still online at the second check, and had the chance to read the message.
  await enqueue(checkMissedAgainJob, secondCheck);
  await sendDirect(sender, [offline], "Another");
  await waitForMails(offline, 2);
  expect(await listWaiting(online.id)).toEqual([]);

  const presence = await findPresence(online.id);
  if (!presence) throw new Error("Nobody was there");
  const { userId, lastConnected, updateId } = presence;
  await putPresence({ userId, lastConnected, updateId, lastActive: lastConnected - 300 });
  await enqueue(checkMissedAgainJob, secondCheck);

  expect((await waitForMails(online))[0]?.text).toContain("Is it not strange?");
});

test.concurrent("a user who is back when the mail is due is mailed only after going away again", async () => {
  const [sender, reader] = [
    await aPerson("Antonio"),
    await aReader("Leonato", { email_notifications_batching_period_seconds: 600 }),
  ];
  const id = await sendDirect(sender, [reader], "Brother!");
  await eventually(async () => (await listWaiting(reader.id)).length > 0);
  await reader.do("POST", "/users/me/presence", { status: "active" });

  await skipBatchingPeriod(reader.id, [id]);
  await eventually(async () => {
    const due = await findDueMail(reader.id);
    return due?.dueAt === undefined || due.dueAt > Date.now() / 1000 + 60;
  });

  expect(await mailsTo(reader.email)).toEqual([]);
  expect(await listWaiting(reader.id)).toHaveLength(1);
});

test.concurrent("Welcome Bot's messages are not mailed", async () => {
  const [hero, claudio] = [await aReader("Hero"), await aPerson("Claudio")];

  await sendWelcome(hero.id, "What, my dear Lady Disdain!", await loadRealm());
  await sendDirect(claudio, [hero], "Good morrow");

  const [mail] = await waitForMails(hero);
  expect(mail?.text).toContain("Good morrow");
  expect(await listWaiting(hero.id)).toEqual([]);
  expect(await subjectsOf(hero)).toHaveLength(1);
});

test.concurrent("repeated jobs do not mail again", async () => {
  const [sender, reader] = [await aPerson("Friar"), await aReader("Hermia")];
  const id = await sendDirect(sender, [reader], "once");
  await waitForMails(reader);

  for (let time = 0; time < 3; time++) {
    await enqueue(checkMissedAgainJob, {
      conversation: conversationName([sender.id, reader.id]),
      message_ids: [id],
      sent_at: Math.floor(Date.now() / 1000),
      user_ids: [reader.id],
    });
    await enqueue(sendMissedMailsJob, { user_ids: [reader.id] });
  }
  await sendDirect(sender, [reader], "twice");

  const mails = await waitForMails(reader, 2);
  expect(mails.filter(({ text }) => text.includes("once"))).toHaveLength(1);
});
