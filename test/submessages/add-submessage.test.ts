import { expect, test } from "vitest";
import { commitNumbered } from "../../shared/store/log/log.ts";
import { createSubmessage, markSubmessages } from "../../shared/store/messages/submessages.ts";
import { eventsAfter, logEnd } from "../support/log.ts";
import { fetchMessage, sendDirect } from "../support/messages.ts";
import { aPerson, type Person } from "../support/world.ts";

const add = (person: Person, message_id: number, content: unknown, msg_type = "widget") =>
  person.call("POST", "/submessage", {
    message_id,
    msg_type,
    content: typeof content === "string" ? content : JSON.stringify(content),
  });
const refused = (msg: string) => ({ status: 400, body: { code: "BAD_REQUEST", msg } });
const poll = "/poll Which?\nthis\nthat";

test("a poll's first submessage contains its question and options, and votes are appended", async () => {
  const [portia, nerissa] = [await aPerson("Portia"), await aPerson("Nerissa")];
  const id = await sendDirect(portia, [nerissa], poll);
  const end = await logEnd();
  const vote = { type: "vote", key: "canned,0", vote: 1 };

  expect((await add(nerissa, id, vote)).body).toEqual({ result: "success", msg: "" });

  const message = await fetchMessage(portia, id);
  expect(message.content).toBe(poll);
  const [first, second] = message.submessages;
  expect(first).toEqual({
    id: first.id,
    message_id: id,
    sender_id: portia.id,
    msg_type: "widget",
    content: first.content,
  });
  expect(JSON.parse(first.content)).toEqual({
    widget_type: "poll",
    extra_data: { question: "Which?", options: ["this", "that"] },
  });
  expect(second).toMatchObject({ sender_id: nerissa.id, content: JSON.stringify(vote) });
  expect(await eventsAfter(end, "submessage", ({ message_id }) => message_id === id)).toEqual([
    {
      audience: { kind: "users", userIds: [portia.id, nerissa.id] },
      event: {
        type: "submessage",
        msg_type: "widget",
        content: JSON.stringify(vote),
        message_id: id,
        sender_id: nerissa.id,
        submessage_id: second.id,
      },
    },
  ]);
});

test("twenty concurrent votes are all stored", async () => {
  const people = await Promise.all(Array.from({ length: 20 }, (_, n) => aPerson(`Suitor ${n}`)));
  const id = await sendDirect(people[0] as Person, people, poll);

  const replies = await Promise.all(
    people.map((person) => add(person, id, { type: "vote", key: "canned,1", vote: 1 })),
  );

  expect(replies.map(({ status }) => status)).toEqual(people.map(() => 200));
  expect((await fetchMessage(people[0] as Person, id)).submessages).toHaveLength(21);
});

test("everyone can add and strike tasks of a to-do list, but only its author can change the title", async () => {
  const [portia, nerissa] = [await aPerson("Portia"), await aPerson("Nerissa")];
  const id = await sendDirect(portia, [nerissa], "/todo Caskets\ngold: heavy");
  const title = { type: "new_task_list_title", title: "Metals" };

  expect((await add(nerissa, id, { type: "new_task", key: 1, task: "lead", desc: "", completed: false })).status).toBe(
    200,
  );
  expect((await add(nerissa, id, { type: "strike", key: "0,canned" })).status).toBe(200);
  expect((await add(portia, id, title)).status).toBe(200);
  expect(await add(nerissa, id, title)).toMatchObject(
    refused("You can't edit the task list title unless you are the author."),
  );
});

test.each([
  ["invalid JSON", "{", "Invalid json for submessage"],
  ["an unknown poll data type", { type: "tick" }, "Unknown type for poll data: tick"],
  ["a vote without a key", { type: "vote", vote: 1 }, /key/],
  ["a vote that is neither for nor against", { type: "vote", key: "canned,0", vote: 5 }, "Invalid vote"],
  ["unknown fields", { type: "vote", key: "canned,0", vote: 1, x: 1 }, "Unexpected arguments: x"],
  ["an option without a number", { type: "new_option", option: "x", idx: 1001 }, "idx is too large"],
  ["an option that is too long", { type: "new_option", option: "x".repeat(1001), idx: 1 }, "option is too long"],
  ["null", null, "Unknown type for poll data: undefined"],
  ["a list", [1], "Unknown type for poll data: undefined"],
  ["a type that is no text", { type: { toString: 1 } }, "Unknown type for poll data: undefined"],
  ["a type that objects have", { type: "constructor" }, "Unknown type for poll data: constructor"],
  [
    "a question from another user",
    { type: "question", question: "?" },
    "You can't edit a question unless you are the author.",
  ],
])("a poll refuses %s", async (_, content, msg) => {
  const [portia, nerissa] = [await aPerson("Portia"), await aPerson("Nerissa")];
  const id = await sendDirect(portia, [nerissa], poll);

  const reply = await add(nerissa, id, content);

  expect(reply.status).toBe(400);
  expect(reply.body.msg).toMatch(msg);
});

test("only the sender can attach a submessage to a message without a widget, and a message with a widget cannot be edited", async () => {
  const [portia, nerissa] = [await aPerson("Portia"), await aPerson("Nerissa")];
  const [plainId, pollId] = [await sendDirect(portia, [nerissa], "plain"), await sendDirect(portia, [nerissa], poll)];

  expect(await add(nerissa, plainId, "{}")).toMatchObject(refused("You cannot attach a submessage to this message."));
  expect((await add(portia, plainId, "{}", "other")).status).toBe(200);
  expect(await portia.call("PATCH", `/messages/${pollId}`, { content: "x" })).toMatchObject(
    refused("Widgets cannot be edited."),
  );
  expect(await add(await aPerson("Shylock"), pollId, "{}")).toMatchObject(refused("Invalid message(s)"));
});

test("a message can carry a form in widget_content, and invalid widget_content is refused", async () => {
  const portia = await aPerson("Portia");
  const choices = [{ type: "multiple_choice", long_name: "Gold", reply: "gold", short_name: "A" }];
  const form = { widget_type: "zform", extra_data: { type: "choices", heading: "Choose", choices } };
  const send = (widget_content: string) =>
    portia.call("POST", "/messages", { type: "direct", to: [portia.id], content: "Choose", widget_content });

  const { id } = (await send(JSON.stringify(form))).body;

  expect(JSON.parse((await fetchMessage(portia, id)).submessages[0].content)).toEqual(form);
  expect(await send("{")).toMatchObject(refused("Widgets: API programmer sent invalid JSON content"));
  expect((await send('{"widget_type":"poll","extra_data":{}}')).body.msg).toMatch(/^Widgets: /);
});

test("the sender can make a plain message's widget, which is validated like those of commands", async () => {
  const [portia, nerissa] = [await aPerson("Portia"), await aPerson("Nerissa")];
  const id = await sendDirect(portia, [nerissa], "plain");
  const definition = { widget_type: "poll", extra_data: { question: "Which?", options: ["this"] } };
  const vote = { type: "vote", key: "canned,0", vote: 1 };
  const malformed: unknown[] = [
    ...[null, 5, [], "text", {}, { options: 5 }, { toString: 1 }, { widget_type: "__proto__" }],
    ...[{ widget_type: ["poll"] }, { widget_type: "poll" }, { widget_type: "poll", extra_data: null }],
    { widget_type: "poll", extra_data: { question: "?", options: 5 } },
    { widget_type: "poll", extra_data: { question: "?", options: [{}] } },
    { widget_type: "poll", extra_data: { question: "?", options: Array.from({ length: 201 }, () => "x") } },
    { widget_type: "todo", extra_data: { task_list_title: "?", tasks: [null] } },
  ];

  for (const content of malformed) {
    const reply = await add(portia, id, JSON.stringify(content));
    expect([content, reply.status, reply.body.msg]).toEqual([content, 400, expect.stringMatching(/^Widgets: /)]);
  }
  expect((await add(portia, id, { ...definition, unknown: "x" })).status).toBe(200);
  expect((await add(nerissa, id, vote)).status).toBe(200);

  const { submessages } = await fetchMessage(nerissa, id);
  expect(submessages.map(({ content }: { content: string }) => JSON.parse(content))).toEqual([definition, vote]);
});

test("a message whose first submessage is no widget accepts no widget's data, and stays readable", async () => {
  const [portia, nerissa] = [await aPerson("Portia"), await aPerson("Nerissa")];
  const id = await sendDirect(portia, [nerissa], "plain");
  expect((await add(portia, id, "null", "other")).status).toBe(200);

  expect(await add(nerissa, id, { type: "vote", key: "canned,0", vote: 1 })).toMatchObject(
    refused("This message has no widget."),
  );
  expect((await add(nerissa, id, '{"toString":1}', "other")).status).toBe(200);
  expect((await fetchMessage(nerissa, id)).submessages).toHaveLength(2);
});

/** Stores a submessage without validating it. */
const store = (sender: Person, messageId: number, content: string) =>
  commitNumbered({}, ({ event: id }) => ({
    writes: [
      createSubmessage({ id, messageId, senderId: sender.id, type: "widget", content }),
      markSubmessages(messageId),
    ],
  }));

test.each([
  "null",
  "{",
  "5",
  '"poll"',
  '{"options":5}',
  '{"toString":1}',
  '{"widget_type":{}}',
  '{"widget_type":"toString"}',
])("a stored widget %s neither breaks the message nor later requests", async (content) => {
  const [portia, nerissa] = [await aPerson("Portia"), await aPerson("Nerissa")];
  const id = await sendDirect(portia, [nerissa], "plain");
  await store(portia, id, content);

  for (const data of ["null", "{}", '{"type":"vote","key":"canned,0","vote":1}'])
    expect(await add(nerissa, id, data)).toMatchObject(refused("This message has no widget."));
  expect((await fetchMessage(nerissa, id)).submessages).toMatchObject([{ content }]);
});

test("the options of a poll and the tasks of a to-do list are limited, also by who adds them", async () => {
  const [portia, nerissa] = [await aPerson("Portia"), await aPerson("Nerissa")];
  const id = await sendDirect(portia, [nerissa], poll);
  const options = Array.from({ length: 100 }, (_, idx) => ({ type: "new_option", idx, option: `${idx}` }));
  for (let start = 0; start < options.length; start += 20)
    await Promise.all(options.slice(start, start + 20).map((option) => add(nerissa, id, option)));

  const option = { type: "new_option", idx: 101, option: "more" };
  expect(await add(nerissa, id, option)).toMatchObject(refused("You can add at most 100 options."));
  expect((await add(portia, id, option)).status).toBe(200);
  expect((await add(nerissa, id, { type: "vote", key: "canned,0", vote: 1 })).status).toBe(200);

  const longList = (count: number) => `Which?\n${"x\n".repeat(count)}`;
  const send = (content: string) => portia.call("POST", "/messages", { type: "direct", to: [portia.id], content });
  expect((await send(`/poll ${longList(200)}`)).status).toBe(200);
  expect((await send(`/poll ${longList(201)}`)).body.msg).toMatch(/^A poll can start with at most 200 options/);
  expect((await send(`/todo ${longList(201)}`)).body.msg).toMatch(/^A to-do list can start with at most 200 tasks/);
  expect((await send(`/poll Which?\n${"x".repeat(1001)}`)).status).toBe(400);
});

test("one person can add 100 KB to a widget, and others can still vote", async () => {
  const [portia, nerissa] = [await aPerson("Portia"), await aPerson("Nerissa")];
  const id = await sendDirect(portia, [nerissa], "/todo");
  const task = { type: "new_task", task: "🌛".repeat(1000), desc: "🌛".repeat(1000), completed: false };
  const statuses: number[] = [];
  for (let key = 0; key < 16; key++) statuses.push((await add(nerissa, id, { ...task, key })).status);

  expect(statuses).toEqual([...Array.from({ length: 13 }, () => 200), 400, 400, 400]);
  expect(await add(nerissa, id, { type: "strike", key: "0,canned" })).toMatchObject(
    refused("You have reached the limit of what one person can add to this message's widget."),
  );
  expect((await add(portia, id, { type: "strike", key: "0,canned" })).status).toBe(200);
});
