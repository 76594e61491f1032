import { expect, test } from "vitest";
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
