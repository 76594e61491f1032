import { expect, test } from "vitest";
import { deliverWebhookJob } from "../../shared/messaging/outgoing-webhooks/triggers/jobs.ts";
import { enqueueAll } from "../../shared/services/jobs/queues.ts";
import { fetchTopic, sendDirect, sendToChannel } from "../support/messages.ts";
import { aReceiver, aReceiverOf } from "../support/outside/receiver.ts";
import { aWebhookBot } from "../support/people.ts";
import { dueMessage, fire } from "../support/table/due-message.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** The contents of the messages that the reader has received from a user, oldest first. */
async function contentsFrom(reader: Person, sender: Person): Promise<string[]> {
  const range = { anchor: "newest", num_before: 100, num_after: 0, apply_markdown: false };
  const messages: { content: string; sender_id: number }[] = (await reader.call("GET", "/messages", range)).body
    .messages;
  return messages.filter(({ sender_id }) => sender_id === sender.id).map(({ content }) => content);
}
/** Waits for a bot's first message to the reader. */
const firstReply = (reader: Person, bot: Person) => eventually(async () => (await contentsFrom(reader, bot))[0]);

test.concurrent("a direct message to a bot is posted to its service, whose reply is sent to the conversation", async () => {
  const [puck, oberon] = [await aPerson("Puck"), await aPerson("Oberon")];
  const service = await aReceiverOf({ content: "I'll put a girdle *round about* the earth" });
  const robin = await aWebhookBot("Robin", oberon, `${service.url}/hook?x=1`);

  const id = await sendDirect(puck, [robin], "Fetch me **that** flower");

  expect(await firstReply(puck, robin)).toBe("I'll put a girdle *round about* the earth");
  const [request] = service.requests;
  expect(request).toMatchObject({ method: "POST", path: "/hook?x=1" });
  expect(request?.headers).toMatchObject({
    "content-type": "application/json",
    "idempotency-key": `${id}-${robin.id}`,
  });
  const { message, ...rest } = JSON.parse(request?.body ?? "");
  expect(rest).toEqual({
    bot_email: robin.email,
    bot_full_name: "Robin",
    data: "Fetch me **that** flower",
    trigger: "direct_message",
    token: "a1b2c3",
  });
  expect(message).toEqual({
    id,
    type: "private",
    timestamp: expect.any(Number),
    content: "Fetch me **that** flower",
    content_type: "text/x-markdown",
    rendered_content: "<p>Fetch me <strong>that</strong> flower</p>",
    subject: "",
    topic_links: [],
    display_recipient: [puck, robin].map((user) => ({
      id: user.id,
      email: user.email,
      full_name: user.name,
      is_mirror_dummy: false,
    })),
    recipient_id: expect.any(Number),
    sender_id: puck.id,
    sender_email: puck.email,
    sender_full_name: "Puck",
    sender_realm_str: "",
    avatar_url: expect.stringMatching(/^https:/),
    client: expect.any(String),
    is_me_message: false,
    reactions: [],
    submessages: [],
  });
});

test.concurrent("a mention in a channel calls the bot, which replies in the topic; a silent mention or another message does not", async () => {
  const [puck, oberon] = [await aPerson("Puck"), await aPerson("Oberon")];
  const service = await aReceiverOf({ response_string: "Here, villain" });
  const robin = await aWebhookBot("Robin", oberon, service.url);
  const wood = await aChannel("wood", [puck, oberon]);

  await sendToChannel(puck, wood, "night", "Nobody is called");
  await sendToChannel(puck, wood, "night", `@_**Robin|${robin.id}** is silent`);
  const id = await sendToChannel(puck, wood, "night", `@**Robin|${robin.id}** where art thou?`);

  const answer = await eventually(async () => (await fetchTopic(puck, wood, "night"))[3]);
  expect(answer).toMatchObject({ content: "Here, villain", sender_id: robin.id, client: "OutgoingWebhookResponse" });
  expect(service.requests).toHaveLength(1);
  expect(JSON.parse(service.requests[0]?.body ?? "")).toMatchObject({
    trigger: "mention",
    data: `@**Robin|${robin.id}** where art thou?`,
    message: { id, type: "stream", stream_id: wood.id, display_recipient: wood.name, subject: "night" },
  });
});

test.concurrent("a bot with the Slack interface gets Slack's format, and no direct messages", async () => {
  const [puck, oberon] = [await aPerson("Puck"), await aPerson("Oberon")];
  const service = await aReceiverOf({ text: "in Slack's way" });
  const robin = await aWebhookBot("Robin", oberon, service.url, { interface: 2 });
  const wood = await aChannel("wood", [puck]);

  const mention = `@**Robin|${robin.id}** hi`;
  await sendToChannel(puck, wood, "night", mention);
  await sendDirect(puck, [robin], "directly");

  expect((await eventually(async () => (await fetchTopic(puck, wood, "night"))[1])).content).toBe("in Slack's way");
  expect(service.requests[0]?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
  expect(Object.fromEntries(new URLSearchParams(service.requests[0]?.body))).toEqual({
    token: "a1b2c3",
    team_id: expect.stringMatching(/^T\d+$/),
    team_domain: expect.any(String),
    channel_id: `C${wood.id}`,
    channel_name: wood.name,
    thread_ts: expect.stringMatching(/^\d+$/),
    timestamp: expect.stringMatching(/^\d+$/),
    user_id: `U${puck.id}`,
    user_name: "Puck",
    text: mention,
    trigger_word: "mention",
    service_id: String(robin.id),
  });
  const replies = await eventually(async () => {
    const contents = await contentsFrom(puck, robin);
    return contents.length > 1 && contents;
  });
  expect(replies).toContain("Failure! Slack outgoing webhooks don't support direct messages.");
  expect(service.requests).toHaveLength(1);
});

test.concurrent("a reply may have a form with choices, and an invalid one is reported to the owner", async () => {
  const [puck, oberon] = [await aPerson("Puck"), await aPerson("Oberon")];
  const choices = [{ type: "multiple_choice", long_name: "Wake her", reply: "wake", short_name: "W" }];
  const form = { widget_type: "zform", extra_data: { type: "choices", heading: "Now?", choices } };
  const formService = await aReceiverOf({ content: "Choose", widget_content: JSON.stringify(form) });
  const bot = await aWebhookBot("Robin", oberon, formService.url);
  const broken = await aWebhookBot("Snout", oberon, (await aReceiverOf({ content: "No", widget_content: "{" })).url);

  await sendDirect(puck, [bot], "What now?");
  await sendDirect(puck, [broken], "And you?");

  expect(await firstReply(puck, bot)).toBe("Choose");
  const range = { anchor: "newest", num_before: 100, num_after: 0 };
  const { messages } = (await puck.call("GET", "/messages", range)).body;
  const formMessage = messages.find(({ sender_id }: { sender_id: number }) => sender_id === bot.id);
  expect(formMessage.submessages.map(({ content }: { content: string }) => JSON.parse(content))).toEqual([form]);
  expect(await firstReply(oberon, broken)).toContain(
    "The bot could not reply: Widgets: API programmer sent invalid JSON",
  );
  expect(await contentsFrom(puck, broken)).toEqual([]);
});

test.concurrent("a bot's message that mentions a bot calls no bot", async () => {
  const [puck, oberon] = [await aPerson("Puck"), await aPerson("Oberon")];
  const echo = await aReceiver(({ body }, response) =>
    response.end(JSON.stringify({ content: `@**Echo|${JSON.parse(body).message.display_recipient[0].id}** again` })),
  );
  const [one, two] = [await aWebhookBot("Echo", oberon, echo.url), await aWebhookBot("Echo", oberon, echo.url)];

  await sendDirect(puck, [one, two], "Hello");
  await eventually(
    async () => (await contentsFrom(puck, one)).length > 0 && (await contentsFrom(puck, two)).length > 0,
  );
  await sendDirect(puck, [one], "And then?");
  await eventually(async () => (await contentsFrom(puck, one)).length > 1);

  expect(echo.requests).toHaveLength(3);
});

test.concurrent("a scheduled message calls bots when it is sent", async () => {
  const [puck, oberon] = [await aPerson("Puck"), await aPerson("Oberon")];
  const service = await aReceiverOf({ content: "in time" });
  const robin = await aWebhookBot("Robin", oberon, service.url);

  await fire(await dueMessage(puck, { userIds: [robin.id] }, 1_000_001), 1);

  expect(await firstReply(puck, robin)).toBe("in time");
});

test.concurrent("a job that is queued repeatedly sends one reply", async () => {
  const [puck, oberon] = [await aPerson("Puck"), await aPerson("Oberon")];
  const service = await aReceiverOf({ content: "once" });
  const robin = await aWebhookBot("Robin", oberon, service.url);
  const id = await sendDirect(puck, [robin], "Twice");
  const job = { message_id: id, bot_id: robin.id, trigger: "direct_message" as const };

  await enqueueAll(deliverWebhookJob, [job, job, job]);
  await sendDirect(puck, [robin], "Last");

  await eventually(async () => (await contentsFrom(puck, robin)).length > 1);
  await new Promise((done) => setTimeout(done, 500));
  expect(await contentsFrom(puck, robin)).toEqual(["once", "once"]);
  expect(new Set(service.requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(2);
});

test.concurrent("a bot without a service URL is not called", async () => {
  const [puck, oberon] = [await aPerson("Puck"), await aPerson("Oberon")];
  const robin = await aWebhookBot("Robin", oberon, "");

  await sendDirect(puck, [robin], "Anybody?");
  const other = await aWebhookBot("Other", oberon, (await aReceiverOf({ content: "here" })).url);
  await sendDirect(puck, [other], "You?");

  expect(await firstReply(puck, other)).toBe("here");
  expect(await contentsFrom(puck, robin)).toEqual([]);
});
