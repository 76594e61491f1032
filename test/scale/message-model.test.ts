import fc from "fast-check";
import { expect, test } from "vitest";
import type { Channel } from "../../shared/store/channels.ts";
import { MessageModel, type ModelNarrow, type ModelRange } from "../support/message-model.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/**
 * Random people send, join, leave, read and star; after each step a random one looks through a random narrow, and must
 * see what the model says. SKEIN_MODEL_RUNS asks for more than the few runs of every day.
 */

const runs = Number(process.env.SKEIN_MODEL_RUNS ?? 3);
const names = ["Viola", "Olivia", "Feste"] as const;
const places = ["coast", "palace", "cellar"] as const;
const topics = ["wind", "rain"] as const;

const who = fc.constantFrom(...names);
const where = fc.constantFrom(...places);
const topic = fc.constantFrom(...topics);
const some = fc.array(fc.nat({ max: 999 }), { minLength: 1, maxLength: 6 });

const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("send" as const), who, where, topic }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("direct" as const), who, to: fc.subarray([...names]) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("join" as const), who, where }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("leave" as const), who, where }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("read" as const), who, some }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("unread" as const), who, some }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("star" as const), who, some, on: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("readChannel" as const), who, where }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("readAll" as const), who }) },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

const look = fc.record({
  who,
  narrow: fc.record(
    { channel: where, topic, sender: who, starred: fc.boolean(), unread: fc.boolean() },
    { requiredKeys: [] },
  ),
  direct: fc.integer({ min: 0, max: 4 }),
  anchor: fc.oneof(
    fc.constantFrom("newest" as const, "oldest" as const, "first_unread" as const),
    fc.nat({ max: 999 }),
  ),
  before: fc.nat({ max: 6 }),
  after: fc.nat({ max: 6 }),
});
type Look = typeof look extends fc.Arbitrary<infer T> ? T : never;

class Scene {
  readonly model = new MessageModel();
  readonly people: Record<string, Person> = {};
  readonly channels: Record<string, Channel> = {};

  async set() {
    for (const name of names) this.people[name] = await aPerson(name);
    const [viola] = [this.people.Viola as Person];
    for (const place of places) {
      const isPublic = place !== "cellar";
      this.channels[place] = await aChannel(place, [viola], { inviteOnly: !isPublic });
      this.model.channels.set(place, { isPublic, subscribers: new Set(["Viola"]) });
    }
  }

  private person = (name: string) => this.people[name] as Person;
  private channel = (place: string) => this.channels[place] as Channel;
  private chosen = (name: string, some: readonly number[]) => {
    const reachable = this.model.reachable(name);
    return some.flatMap((place) => reachable[place % Math.max(1, reachable.length)] ?? []);
  };

  async do(step: Act): Promise<void> {
    const { model } = this;
    const person = this.person(step.who);
    const subscribers = "where" in step ? model.channels.get(step.where)?.subscribers : undefined;
    switch (step.kind) {
      case "send": {
        const to = this.channel(step.where).id;
        const sent = { type: "channel", to, topic: step.topic, content: "The rain it raineth every day" };
        const { status, body } = await person.call("POST", "/messages", sent);
        expect(status).toBe(model.mayRead(step.who, step.where) ? 200 : 400);
        if (status === 200) model.sendToChannel(body.id, step.who, step.where, step.topic);
        return;
      }
      case "direct": {
        const to = [...new Set([...step.to, step.who])].map((name) => this.person(name).id);
        const { body } = await person.call("POST", "/messages", { type: "direct", to, content: "Good madonna" });
        model.sendDirectly(body.id, step.who, step.to);
        return;
      }
      case "join": {
        const { status } = await person.call("POST", "/users/me/subscriptions", {
          subscriptions: [{ name: this.channel(step.where).name }],
        });
        if (status === 200) subscribers?.add(step.who);
        return;
      }
      case "leave":
        await person.call("DELETE", "/users/me/subscriptions", { subscriptions: [this.channel(step.where).name] });
        subscribers?.delete(step.who);
        return;
      case "read": {
        const messages = this.chosen(step.who, step.some);
        await this.flag(
          person,
          messages.map(({ id }) => id),
          "add",
          "read",
        );
        for (const { id } of messages) model.mark(step.who, id, true);
        return;
      }
      case "unread": {
        const messages = this.chosen(step.who, step.some);
        await this.flag(
          person,
          messages.map(({ id }) => id),
          "remove",
          "read",
        );
        for (const { id, channel } of messages)
          if (channel === undefined || model.channels.get(channel)?.subscribers.has(step.who))
            model.mark(step.who, id, false);
        return;
      }
      case "star": {
        const messages = this.chosen(step.who, step.some);
        await this.flag(
          person,
          messages.map(({ id }) => id),
          step.on ? "add" : "remove",
          "starred",
        );
        for (const { id } of messages) model.star(step.who, id, step.on);
        return;
      }
      case "readChannel": {
        await person.call("POST", "/mark_stream_as_read", { stream_id: this.channel(step.where).id });
        for (const { id, channel, receivers } of model.reachable(step.who))
          if (channel === step.where && receivers.has(step.who)) model.mark(step.who, id, true);
        return;
      }
      case "readAll":
        await person.call("POST", "/mark_all_as_read");
        for (const { id } of model.messages) model.mark(step.who, id, true);
    }
  }

  private async flag(person: Person, messages: number[], op: string, flag: string) {
    expect((await person.call("POST", "/messages/flags", { messages, op, flag })).status).toBe(200);
  }

  async check({ who: reader, narrow, direct, anchor: at, before, after }: Look): Promise<void> {
    const { channel, topic: named, sender, starred, unread } = narrow;
    const isDirect = direct === 0 && channel === undefined && named === undefined;
    const ids = this.model.messages.map(({ id }) => id);
    const anchor = typeof at === "number" ? (ids[at % Math.max(1, ids.length)] ?? 1) : at;
    const wanted: ModelNarrow = { ...narrow, ...(isDirect && { direct: true }) };
    const range: ModelRange = { anchor, before, after };
    const terms = [
      ...(channel === undefined ? [] : [{ operator: "channel", operand: this.channel(channel).id }]),
      ...(named === undefined ? [] : [{ operator: "topic", operand: named }]),
      ...(sender === undefined ? [] : [{ operator: "sender", operand: this.person(sender).id }]),
      ...(isDirect ? [{ operator: "is", operand: "dm" }] : []),
      ...(starred ? [{ operator: "is", operand: "starred" }] : []),
      ...(unread ? [{ operator: "is", operand: "unread" }] : []),
    ];
    const { status, body } = await this.person(reader).call("GET", "/messages", {
      narrow: terms,
      anchor: String(anchor),
      num_before: before,
      num_after: after,
    });
    const expected = this.model.page(reader, wanted, range);
    expect(status).toBe(expected ? 200 : 400);
    if (!expected) return;
    const { anchor: told, found_anchor, found_oldest, found_newest } = body;
    const messages = body.messages.map(({ id, flags }: { id: number; flags: string[] }) => ({ id, flags }));
    expect({ anchor: told, messages, found_anchor, found_oldest, found_newest }).toEqual(expected);
  }
}

test("readers see what the model says, whatever they and others do", { timeout: 120_000 + runs * 30_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(act, look), { minLength: 30, maxLength: 60 }), async (steps) => {
      const scene = new Scene();
      await scene.set();
      for (const [step, glance] of steps) {
        await scene.do(step);
        await scene.check(glance);
      }
    }),
    { numRuns: runs, endOnFailure: true, interruptAfterTimeLimit: 90_000 + runs * 30_000 },
  );
});
