import { expect, test } from "vitest";
import { roles } from "../../shared/base/schema/roles.ts";
import { everyone, nobody } from "../../shared/base/schema/system-groups.ts";
import { forAtMost } from "../support/property.ts";
import { fc } from "../support/random.ts";
import { unique } from "../support/unique.ts";
import { aPerson, type Person } from "../support/world.ts";

/**
 * An owner randomly changes everything that gives access to a private channel: groups and subgroups, permissions,
 * subscriptions, roles and accounts. After each step a user tries what they should and should not be able to do.
 */

const runs = Number(process.env.SKEIN_MODEL_RUNS ?? 4);

const names = ["Viola", "Olivia", "Feste"] as const;
type Name = (typeof names)[number];
const actor = fc.constantFrom(...names);
const group = fc.constantFrom("inner", "outer");
const on = fc.boolean();

const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("member" as const), actor, group, on }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("nest" as const), on }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("mayRead" as const), to: fc.constantFrom("inner", "outer", "nobody") }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("maySend" as const), to: fc.constantFrom("inner", "outer", "everyone") }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("subscribe" as const), actor, on }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("join" as const), actor }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("guest" as const), actor, on }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("active" as const), actor, on }) },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

class Scene {
  private owner!: Person;
  private readonly people = new Map<Name, Person>();
  private channel = { id: 0, name: unique("chamber") };
  private readonly groupIds: Record<string, number> = { nobody, everyone };

  private readonly members: Record<string, Set<Name>> = { inner: new Set(), outer: new Set() };
  private isNested = false;
  /** The names of the groups whose members may read and send. */
  private readers = "nobody";
  private senders = "everyone";
  private readonly subscribed = new Set<Name>();
  private readonly guests = new Set<Name>();
  private readonly deactivated = new Set<Name>();

  async setUp() {
    this.owner = await aPerson("Orsino", { role: "owner" });
    for (const name of names) this.people.set(name, await aPerson(name));
    for (const name of ["inner", "outer"])
      this.groupIds[name] = (
        await this.doAsOwner("POST", "/user_groups/create", { name: unique(name), description: "", members: [] })
      ).group_id;
    const { id } = await this.doAsOwner("POST", "/channels/create", {
      name: this.channel.name,
      subscribers: [this.owner.id],
      invite_only: true,
      history_public_to_subscribers: true,
      can_subscribe_group: nobody,
      can_send_message_group: everyone,
    });
    this.channel.id = id;
  }

  /** A request of the owner, which must succeed. */
  private async doAsOwner(method: string, path: string, params: object = {}): Promise<any> {
    const { body } = await this.owner.call(method, path, { ...params });
    expect(`${method} ${path}: ${body.msg}`).toBe(`${method} ${path}: `);
    return body;
  }

  private person = (name: Name) => this.people.get(name) as Person;

  /** Whether a person is a member of a group, directly or by the nested one. */
  private isMember = (name: Name, group: string): boolean =>
    group === "everyone" ||
    this.members[group]?.has(name) === true ||
    (group === "outer" && this.isNested && this.members.inner?.has(name) === true);
  private mayRead = (name: Name) =>
    this.subscribed.has(name) || (!this.guests.has(name) && this.isMember(name, this.readers));

  async do(step: Act): Promise<void> {
    const change = async (set: Set<Name>, name: Name, isIn: boolean, act: () => Promise<unknown>) => {
      if (set.has(name) === isIn || (this.deactivated.has(name) && set !== this.deactivated)) return;
      await act();
      if (isIn) set.add(name);
      else set.delete(name);
    };
    const permit = (permission: string, to: string) =>
      this.doAsOwner("PATCH", `/streams/${this.channel.id}`, { [permission]: { new: this.groupIds[to] } });
    switch (step.kind) {
      case "member":
        return change(this.members[step.group] as Set<Name>, step.actor, step.on, () =>
          this.doAsOwner("POST", `/user_groups/${this.groupIds[step.group]}/members`, {
            [step.on ? "add" : "delete"]: [this.person(step.actor).id],
          }),
        );
      case "nest":
        if (step.on === this.isNested) return;
        await this.doAsOwner("POST", `/user_groups/${this.groupIds.outer}/subgroups`, {
          [step.on ? "add" : "delete"]: [this.groupIds.inner],
        });
        this.isNested = step.on;
        return;
      case "mayRead":
        if (step.to !== this.readers) await permit("can_subscribe_group", step.to);
        this.readers = step.to;
        return;
      case "maySend":
        if (step.to !== this.senders) await permit("can_send_message_group", step.to);
        this.senders = step.to;
        return;
      case "subscribe":
        return change(this.subscribed, step.actor, step.on, () => {
          const principals = [this.person(step.actor).id];
          return step.on
            ? this.doAsOwner("POST", "/users/me/subscriptions", {
                subscriptions: [{ name: this.channel.name }],
                principals,
              })
            : this.doAsOwner("DELETE", "/users/me/subscriptions", { subscriptions: [this.channel.name], principals });
        });
      case "join": {
        if (this.deactivated.has(step.actor)) return;
        const subscriptions = [{ name: this.channel.name }];
        const { status } = await this.person(step.actor).call("POST", "/users/me/subscriptions", { subscriptions });
        // Guests cannot call the endpoint, even if they are already subscribed.
        const may = this.mayRead(step.actor) && !this.guests.has(step.actor);
        expect(`subscribes ${status}`).toBe(`subscribes ${may ? 200 : 400}`);
        if (status === 200) this.subscribed.add(step.actor);
        return;
      }
      case "guest":
        return change(this.guests, step.actor, step.on, () =>
          this.doAsOwner("PATCH", `/users/${this.person(step.actor).id}`, {
            role: step.on ? roles.guest : roles.member,
          }),
        );
      case "active":
        return change(this.deactivated, step.actor, !step.on, () => {
          const path = `/users/${this.person(step.actor).id}`;
          return step.on ? this.doAsOwner("POST", `${path}/reactivate`) : this.doAsOwner("DELETE", path);
        });
    }
  }

  async check(name: Name): Promise<void> {
    const person = this.person(name);
    const [{ id }, isDeactivated] = [this.channel, this.deactivated.has(name)];
    const expected = (may: boolean) => (isDeactivated ? 401 : may ? 200 : 400);
    const narrow = [{ operator: "channel", operand: id }];
    const [channel, history, subscriptions, sent] = await Promise.all([
      person.call("GET", `/streams/${id}`),
      person.call("GET", "/messages", { narrow, anchor: "newest", num_before: 1, num_after: 0 }),
      person.call("GET", "/users/me/subscriptions"),
      person.call("POST", "/messages", { type: "channel", to: id, topic: "keys", content: "Who is there?" }),
    ]);
    const listed =
      subscriptions.body.subscriptions?.some(({ stream_id }: { stream_id: number }) => stream_id === id) ?? false;
    expect({ channel: channel.status, history: history.status, listed, sent: sent.status }).toEqual({
      channel: expected(this.mayRead(name)),
      history: expected(this.mayRead(name)),
      listed: !isDeactivated && this.subscribed.has(name),
      sent: expected(this.subscribed.has(name) && this.isMember(name, this.senders)),
    });
  }
}

test("after permission changes requests succeed exactly if they are allowed", { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(act, actor), { minLength: 25, maxLength: 35 }),
      forAtMost(90_000, async (run) => {
        const scene = new Scene();
        await scene.setUp();
        for (const [step, name] of run) {
          await scene.do(step);
          await scene.check(name);
          if ("actor" in step) await scene.check(step.actor);
        }
      }),
    ),
    { numRuns: runs, endOnFailure: true },
  );
});
