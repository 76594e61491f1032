import { expect, test } from "vitest";
import { searchIndex } from "../../shared/messaging/messages/search/indexing.ts";
import { consumeLog } from "../../shared/services/jobs/log-consumer.ts";
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
import { fc } from "../support/random.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/**
 * Random users send, edit, move, delete, join, leave, read and star; after each step a random user fetches a random narrow,
 * and the result must match the model. Runs four hundred steps and fetches, or more with SKEIN_MODEL_RUNS.
 */

const runs = Number(process.env.SKEIN_MODEL_RUNS ?? 4);
/** The number of steps of one run. */
const steps = { minLength: 90, maxLength: 120 };
class Scene {
  readonly model = new MessageModel();
  readonly people: Record<string, Person> = {};
  readonly channels: Record<string, Channel> = {};
  /** The log's end after the last change that affects searches. */
  private changedAt = 0;

  /** Creates the people and channels, in the fleet and in the model. */
  async setUp() {
    for (const name of names) this.people[name] = await aPerson(name);
    const viola = this.people.Viola as Person;
    for (const place of places) {
      const isPublic = place !== "cellar";
      this.channels[place] = await aChannel(place, [viola], { inviteOnly: !isPublic });
      this.model.channels.set(place, { isPublic, subscribers: new Set(["Viola"]) });
    }
  }

  private person = (name: string) => this.people[name] as Person;
  private channel = (place: string) => this.channels[place] as Channel;
  /** The messages at some positions among those that a person can fetch. */
  private messagesAt = (name: string, positions: readonly number[]) => {
    const reachable = this.model.reachable(name);
    return positions.flatMap((position) => reachable[position % Math.max(1, reachable.length)] ?? []);
  };

  /** The message at a position among those that a person has sent. */
  private ownMessageAt = (name: string, position: number) => {
    const messages = this.model.reachable(name).filter(({ sender }) => sender === name);
    return messages[position % Math.max(1, messages.length)];
  };
  private contentOf = ({ words, mentions }: ModelText) => {
    const name = mentions === undefined || mentions === everyone ? mentions : `${mentions}|${this.person(mentions).id}`;
    return [...words, ...(name === undefined ? [] : [`@**${name}**`])].join(" ");
  };

  async do(step: Act): Promise<void> {
    const { model } = this;
    const person = this.person(step.actor);
    const subscribers = "place" in step ? model.channels.get(step.place)?.subscribers : undefined;
    switch (step.kind) {
      case "send": {
        const to = this.channel(step.place).id;
        const params = { type: "channel", to, topic: step.topic, content: this.contentOf(step.text) };
        const { status, body } = await person.call("POST", "/messages", params);
        expect(status).toBe(model.mayRead(step.actor, step.place) ? 200 : 400);
        if (status === 200) model.sendToChannel(body.id, step.actor, step.place, step.topic, step.text);
        return;
      }
      case "direct": {
        const to = [...new Set([...step.to, step.actor])].map((name) => this.person(name).id);
        const { body } = await person.call("POST", "/messages", {
          type: "direct",
          to,
          content: this.contentOf(step.text),
        });
        model.sendDirectly(body.id, step.actor, step.to, step.text);
        return;
      }
      case "edit": {
        const message = this.ownMessageAt(step.actor, step.position);
        if (!message) return;
        await this.change(person, "PATCH", message.id, { content: this.contentOf(step.text) });
        message.text = step.text;
        return;
      }
      case "delete": {
        const message = this.ownMessageAt(step.actor, step.position);
        if (!message) return;
        await this.change(person, "DELETE", message.id);
        model.delete(message.id);
        return;
      }
      case "move": {
        const [message] = this.messagesAt(step.actor, [step.position]);
        if (message?.channel === undefined || !model.mayRead(step.actor, step.place)) return;
        await this.change(person, "PATCH", message.id, {
          stream_id: this.channel(step.place).id,
          topic: step.topic,
          propagate_mode: step.mode,
          send_notification_to_new_thread: false,
        });
        model.move(step.actor, message, step.place, step.topic, step.mode);
        return;
      }
      case "join": {
        const { status } = await person.call("POST", "/users/me/subscriptions", {
          subscriptions: [{ name: this.channel(step.place).name }],
        });
        if (status === 200) subscribers?.add(step.actor);
        return;
      }
      case "leave":
        // Refused if the person does not know the channel.
        await person.call("DELETE", "/users/me/subscriptions", { subscriptions: [this.channel(step.place).name] });
        this.model.leave(step.actor, step.place);
        return;
      case "read": {
        const messages = this.messagesAt(step.actor, step.positions);
        await this.flag(
          person,
          messages.map(({ id }) => id),
          "add",
          "read",
        );
        for (const message of messages) model.mark(step.actor, message, true);
        return;
      }
      case "unread": {
        const messages = this.messagesAt(step.actor, step.positions);
        await this.flag(
          person,
          messages.map(({ id }) => id),
          "remove",
          "read",
        );
        for (const message of messages)
          if (message.channel === undefined || model.channels.get(message.channel)?.subscribers.has(step.actor))
            model.mark(step.actor, message, false);
        return;
      }
      case "star": {
        const messages = this.messagesAt(step.actor, step.positions);
        await this.flag(
          person,
          messages.map(({ id }) => id),
          step.on ? "add" : "remove",
          "starred",
        );
        for (const { id } of messages) model.star(step.actor, id, step.on);
        return;
      }
      case "readChannel": {
        await person.call("POST", "/mark_stream_as_read", { stream_id: this.channel(step.place).id });
        for (const message of model.reachable(step.actor))
          if (message.channel === step.place && model.receivers(message).has(step.actor))
            model.mark(step.actor, message, true);
        return;
      }
      case "readAll":
        await person.do("POST", "/mark_all_as_read");
        model.markAll(step.actor);
    }
  }

  private async flag(person: Person, messages: number[], op: string, flag: string) {
    expect((await person.call("POST", "/messages/flags", { messages, op, flag })).status).toBe(200);
  }

  private async change(person: Person, method: string, id: number, params = {}) {
    expect((await person.call(method, `/messages/${id}`, params)).body.msg).toBe("");
    this.changedAt = await logEnd();
  }

  /** Brings the search index up to date, which the fleet does only after a minute for edits and moves. */
  private async updateSearchIndex(): Promise<void> {
    const isIndexed = async () => ((await findCursor(cursors.search))?.sequence ?? 0) >= this.changedAt;
    await eventually(async () => {
      if (await isIndexed()) return true;
      await consumeLog(searchIndex);
      return isIndexed();
    });
  }

  async check({ reader, narrow, direct, anchor: drawnAnchor, before, after }: Look): Promise<void> {
    const { channel, topic, sender, starred, unread, mentioned, search } = narrow;
    if (search !== undefined) await this.updateSearchIndex();
    const isDirect = direct === 0 && channel === undefined && topic === undefined;
    const ids = this.model.messages.map(({ id }) => id);
    const anchor = typeof drawnAnchor === "number" ? (ids[drawnAnchor % Math.max(1, ids.length)] ?? 1) : drawnAnchor;
    const modelNarrow: ModelNarrow = { ...narrow, ...(isDirect && { direct: true }) };
    const range: ModelRange = { anchor, before, after };
    const terms = [
      ...(channel === undefined ? [] : [{ operator: "channel", operand: this.channel(channel).id }]),
      ...(topic === undefined ? [] : [{ operator: "topic", operand: topic }]),
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
    const expected = this.model.page(reader, modelNarrow, range);
    expect(status).toBe(expected ? 200 : 400);
    if (!expected) return;
    const { anchor: returnedAnchor, found_anchor, found_oldest, found_newest } = body;
    const returnedMessages = body.messages.map(({ id, flags, content, subject, stream_id }: any) => ({
      id,
      flags,
      content,
      subject,
      stream_id,
    }));
    const messages = expected.messages.map(({ id, flags, text, topic: subject, channel: place }) => ({
      id,
      flags,
      content: this.contentOf(text),
      subject,
      stream_id: place && this.channel(place).id,
    }));
    expect({ anchor: returnedAnchor, messages: returnedMessages, found_anchor, found_oldest, found_newest }).toEqual({
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
        await scene.setUp();
        for (const [step, query] of run) {
          await scene.do(step);
          await scene.check(query);
        }
      }),
    ),
    { numRuns: runs, endOnFailure: true },
  );
});
