import fc from "fast-check";
import { expect, test } from "vitest";
import { consumeLog } from "../../shared/jobs/log-consumer.ts";
import { searchIndex } from "../../shared/messages/search/indexing.ts";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { cursors, findCursor } from "../../shared/store/log/cursors.ts";
import { logEnd } from "../support/log.ts";
import {
  everyone,
  MessageModel,
  type ModelNarrow,
  type ModelRange,
  type ModelText,
} from "../support/model/message-model.ts";
import { type Act, act, type Look, look, names, places } from "../support/model/steps.ts";
import { forAtMost } from "../support/property.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/**
 * Random users send, edit, move, delete, join, leave, read and star; after each step a random user fetches a random narrow,
 * and the result must match the model. Runs six hundred steps and fetches, or more with SKEIN_MODEL_RUNS.
 */

const runs = Number(process.env.SKEIN_MODEL_RUNS ?? 6);
const steps = { minLength: 90, maxLength: 120 };
class Scene {
  readonly model = new MessageModel();
  readonly people: Record<string, Person> = {};
  readonly channels: Record<string, Channel> = {};
  /** The log's end after the last change that affects searches. */
  private changedAt = 0;

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
    return some.flatMap((position) => reachable[position % Math.max(1, reachable.length)] ?? []);
  };

  private own = (name: string, place: number) => {
    const messages = this.model.reachable(name).filter(({ sender }) => sender === name);
    return messages[place % Math.max(1, messages.length)];
  };
  private contentOf = ({ words: said, mentions: calls }: ModelText) => {
    const named = calls === undefined || calls === everyone ? calls : `${calls}|${this.person(calls).id}`;
    return [...said, ...(named === undefined ? [] : [`@**${named}**`])].join(" ");
  };

  async do(step: Act): Promise<void> {
    const { model } = this;
    const person = this.person(step.who);
    const subscribers = "where" in step ? model.channels.get(step.where)?.subscribers : undefined;
    switch (step.kind) {
      case "send": {
        const to = this.channel(step.where).id;
        const sent = { type: "channel", to, topic: step.topic, content: this.contentOf(step.text) };
        const { status, body } = await person.call("POST", "/messages", sent);
        expect(status).toBe(model.mayRead(step.who, step.where) ? 200 : 400);
        if (status === 200) model.sendToChannel(body.id, step.who, step.where, step.topic, step.text);
        return;
      }
      case "direct": {
        const to = [...new Set([...step.to, step.who])].map((name) => this.person(name).id);
        const { body } = await person.call("POST", "/messages", {
          type: "direct",
          to,
          content: this.contentOf(step.text),
        });
        model.sendDirectly(body.id, step.who, step.to, step.text);
        return;
      }
      case "edit": {
        const message = this.own(step.who, step.one);
        if (!message) return;
        await this.change(person, "PATCH", message.id, { content: this.contentOf(step.text) });
        message.text = step.text;
        return;
      }
      case "delete": {
        const message = this.own(step.who, step.one);
        if (!message) return;
        await this.change(person, "DELETE", message.id);
        model.delete(message.id);
        return;
      }
      case "move": {
        const [message] = this.chosen(step.who, [step.one]);
        if (message?.channel === undefined || !model.mayRead(step.who, step.where)) return;
        await this.change(person, "PATCH", message.id, {
          stream_id: this.channel(step.where).id,
          topic: step.topic,
          propagate_mode: step.mode,
          send_notification_to_new_thread: false,
        });
        model.move(step.who, message, step.where, step.topic, step.mode);
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
        // Refused if the person does not know the channel.
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
        for (const message of messages) model.mark(step.who, message, true);
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
        for (const message of messages)
          if (message.channel === undefined || model.channels.get(message.channel)?.subscribers.has(step.who))
            model.mark(step.who, message, false);
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
        for (const message of model.reachable(step.who))
          if (message.channel === step.where && model.receivers(message).has(step.who))
            model.mark(step.who, message, true);
        return;
      }
      case "readAll":
        await person.do("POST", "/mark_all_as_read");
        model.markAll(step.who);
    }
  }

  private async flag(person: Person, messages: number[], op: string, flag: string) {
    expect((await person.call("POST", "/messages/flags", { messages, op, flag })).status).toBe(200);
  }

  private async change(person: Person, method: string, id: number, params = {}) {
    expect((await person.call(method, `/messages/${id}`, params)).body.msg).toBe("");
    this.changedAt = await logEnd();
  }

  /** Searches find the results of edits and moves after a minute; this test does not wait for it. */
  private async index(): Promise<void> {
    const isIndexed = async () => ((await findCursor(cursors.search))?.sequence ?? 0) >= this.changedAt;
    await eventually(async () => {
      if (await isIndexed()) return true;
      await consumeLog(searchIndex);
      return isIndexed();
    });
  }

  async check({ who: reader, narrow, direct, anchor: at, before, after }: Look): Promise<void> {
    const { channel, topic: named, sender, starred, unread, mentioned, search } = narrow;
    if (search !== undefined) await this.index();
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
      ...(mentioned ? [{ operator: "is", operand: "mentioned" }] : []),
      ...(search === undefined ? [] : [{ operator: "search", operand: search }]),
    ];
    const { status, body } = await this.person(reader).call("GET", "/messages", {
      narrow: terms,
      anchor: String(anchor),
      num_before: before,
      num_after: after,
      apply_markdown: false,
    });
    const expected = this.model.page(reader, wanted, range);
    expect(status).toBe(expected ? 200 : 400);
    if (!expected) return;
    const { anchor: told, found_anchor, found_oldest, found_newest } = body;
    const shown = body.messages.map(({ id, flags, content, subject, stream_id }: any) => ({
      id,
      flags,
      content,
      subject,
      stream_id,
    }));
    const messages = expected.messages.map(({ id, flags, text: said, topic: subject, channel: place }) => ({
      id,
      flags,
      content: this.contentOf(said),
      subject,
      stream_id: place && this.channel(place).id,
    }));
    expect({ anchor: told, messages: shown, found_anchor, found_oldest, found_newest }).toEqual({
      ...expected,
      messages,
    });
  }
}

test("after any sequence of actions readers see what the model predicts", {
  timeout: 120_000 + runs * 30_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(act, look), steps),
      forAtMost(90_000 + runs * 30_000, async (run) => {
        const scene = new Scene();
        await scene.set();
        for (const [step, glance] of run) {
          await scene.do(step);
          await scene.check(glance);
        }
      }),
    ),
    { numRuns: runs, endOnFailure: true },
  );
});
