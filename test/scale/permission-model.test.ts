import fc from "fast-check";
import { expect, test } from "vitest";
import { roles } from "../../shared/schema/roles.ts";
import { everyone, nobody } from "../../shared/schema/system-groups.ts";
import { forAtMost } from "../support/property.ts";
import { unique } from "../support/unique.ts";
import { aPerson, type Person } from "../support/world.ts";

/**
 * An owner randomly changes everything that gives access to a private channel: groups and subgroups, permissions,
 * subscriptions, roles and accounts. After each step a user tries what they should and should not be able to do.
 */

const runs = Number(process.env.SKEIN_MODEL_RUNS ?? 4);

const names = ["Viola", "Olivia", "Feste"] as const;
type Name = (typeof names)[number];
const who = fc.constantFrom(...names);
const group = fc.constantFrom("inner", "outer");
const on = fc.boolean();

const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("member" as const), who, group, on }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("nest" as const), on }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("mayRead" as const), to: fc.constantFrom("inner", "outer", "nobody") }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("maySend" as const), to: fc.constantFrom("inner", "outer", "everyone") }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("subscribe" as const), who, on }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("join" as const), who }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("guest" as const), who, on }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("active" as const), who, on }) },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

class Scene {
  private owner!: Person;
  private readonly people = new Map<Name, Person>();
  private channel = { id: 0, name: unique("chamber") };
  private readonly groupIds: Record<string, number> = { nobody, everyone };

  private readonly members: Record<string, Set<Name>> = { inner: new Set(), outer: new Set() };
  private isNested = false;
  private reads = "nobody";
  private sends = "everyone";
  private readonly subscribed = new Set<Name>();
  private readonly guests = new Set<Name>();
  private readonly gone = new Set<Name>();

  async set() {
    this.owner = await aPerson("Orsino", { role: "owner" });
    for (const name of names) this.people.set(name, await aPerson(name));
    for (const name of ["inner", "outer"])
      this.groupIds[name] = (
        await this.done("POST", "/user_groups/create", { name: unique(name), description: "", members: [] })
      ).group_id;
    const { id } = await this.done("POST", "/channels/create", {
      name: this.channel.name,
      subscribers: [this.owner.id],
      invite_only: true,
      history_public_to_subscribers: true,
      can_subscribe_group: nobody,
      can_send_message_group: everyone,
    });
    this.channel.id = id;
  }

  /** The owner's random changes. */
  private async done(method: string, path: string, params: object = {}): Promise<any> {
    const { body } = await this.owner.call(method, path, { ...params });
    expect(`${method} ${path}: ${body.msg}`).toBe(`${method} ${path}: `);
    return body;
  }

  private person = (name: Name) => this.people.get(name) as Person;

  private holds = (name: Name, to: string): boolean =>
    to === "everyone" ||
    this.members[to]?.has(name) === true ||
    (to === "outer" && this.isNested && this.members.inner?.has(name) === true);
  private mayRead = (name: Name) =>
    this.subscribed.has(name) || (!this.guests.has(name) && this.holds(name, this.reads));

  async do(step: Act): Promise<void> {
    const change = async (set: Set<Name>, name: Name, isIn: boolean, act: () => Promise<unknown>) => {
      if (set.has(name) === isIn || (this.gone.has(name) && set !== this.gone)) return;
      await act();
      if (isIn) set.add(name);
      else set.delete(name);
    };
    const permit = (permission: string, to: string) =>
      this.done("PATCH", `/streams/${this.channel.id}`, { [permission]: { new: this.groupIds[to] } });
    switch (step.kind) {
      case "member":
        return change(this.members[step.group] as Set<Name>, step.who, step.on, () =>
          this.done("POST", `/user_groups/${this.groupIds[step.group]}/members`, {
            [step.on ? "add" : "delete"]: [this.person(step.who).id],
          }),
        );
      case "nest":
        if (step.on === this.isNested) return;
        await this.done("POST", `/user_groups/${this.groupIds.outer}/subgroups`, {
          [step.on ? "add" : "delete"]: [this.groupIds.inner],
        });
        this.isNested = step.on;
        return;
      case "mayRead":
        if (step.to !== this.reads) await permit("can_subscribe_group", step.to);
        this.reads = step.to;
        return;
      case "maySend":
        if (step.to !== this.sends) await permit("can_send_message_group", step.to);
        this.sends = step.to;
        return;
      case "subscribe":
        return change(this.subscribed, step.who, step.on, () => {
          const principals = [this.person(step.who).id];
          return step.on
            ? this.done("POST", "/users/me/subscriptions", { subscriptions: [{ name: this.channel.name }], principals })
            : this.done("DELETE", "/users/me/subscriptions", { subscriptions: [this.channel.name], principals });
        });
      case "join": {
        if (this.gone.has(step.who)) return;
        const subscriptions = [{ name: this.channel.name }];
        const { status } = await this.person(step.who).call("POST", "/users/me/subscriptions", { subscriptions });
        // Guests cannot call the endpoint, even if they are already subscribed.
        const may = this.mayRead(step.who) && !this.guests.has(step.who);
        expect(`subscribes ${status}`).toBe(`subscribes ${may ? 200 : 400}`);
        if (status === 200) this.subscribed.add(step.who);
        return;
      }
      case "guest":
        return change(this.guests, step.who, step.on, () =>
          this.done("PATCH", `/users/${this.person(step.who).id}`, { role: step.on ? roles.guest : roles.member }),
        );
      case "active":
        return change(this.gone, step.who, !step.on, () => {
          const path = `/users/${this.person(step.who).id}`;
          return step.on ? this.done("POST", `${path}/reactivate`) : this.done("DELETE", path);
        });
    }
  }

  async check(name: Name): Promise<void> {
    const person = this.person(name);
    const [{ id }, isGone] = [this.channel, this.gone.has(name)];
    const expected = (may: boolean) => (isGone ? 401 : may ? 200 : 400);
    const narrow = [{ operator: "channel", operand: id }];
    const [known, history, own, sent] = await Promise.all([
      person.call("GET", `/streams/${id}`),
      person.call("GET", "/messages", { narrow, anchor: "newest", num_before: 1, num_after: 0 }),
      person.call("GET", "/users/me/subscriptions"),
      person.call("POST", "/messages", { type: "channel", to: id, topic: "keys", content: "Who is there?" }),
    ]);
    const listed = own.body.subscriptions?.some(({ stream_id }: { stream_id: number }) => stream_id === id) ?? false;
    expect({ known: known.status, history: history.status, listed, sent: sent.status }).toEqual({
      known: expected(this.mayRead(name)),
      history: expected(this.mayRead(name)),
      listed: !isGone && this.subscribed.has(name),
      sent: expected(this.subscribed.has(name) && this.holds(name, this.sends)),
    });
  }
}

test("after permission changes requests succeed exactly if they are allowed", { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(act, who), { minLength: 25, maxLength: 35 }),
      forAtMost(90_000, async (run) => {
        const scene = new Scene();
        await scene.set();
        for (const [step, name] of run) {
          await scene.do(step);
          await scene.check(name);
          if ("who" in step) await scene.check(step.who);
        }
      }),
    ),
    { numRuns: runs, endOnFailure: true },
  );
});
