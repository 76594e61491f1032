import { expect, test } from "vitest";
import { checkDeployable } from "../../infra/stack/deployable.ts";
import type { DeployedStack, OwnedData } from "../../infra/stack/deployed-stack.ts";
import { type Outside, type RemovalRecord, removeFleet } from "../../infra/stack/removal.ts";

/** Removals of fleets in an account that exists in memory, beside another fleet, and what each interruption of one leaves. */

const existing = { table: "", secretArn: "", filesBucket: "" };
const arn = (name: string) => `arn:aws:cloudformation:eu-west-1:123456789012:stack/${name}/1`;

class Interrupted extends Error {}

/** An account with the fleets Skein, whose data CloudFormation would delete with it, and Other. */
class Account {
  readonly stacks = new Map<string, DeployedStack & { owned: OwnedData[] }>();
  readonly data = new Set<string>();
  readonly asked: string[] = [];
  record: RemovalRecord | undefined;
  /** After how many changes the removal is interrupted. */
  changesLeft = Number.POSITIVE_INFINITY;
  answer = true;

  constructor() {
    this.add("Other", true);
    this.add("Skein", false);
  }

  add(name: string, isRetained: boolean): void {
    const ids = { table: `${name}-table`, secret: `${name}-secret`, bucket: `${name}-bucket` };
    const owned = Object.entries(ids).map(([kind, id]) => ({ kind, id, isRetained }) as OwnedData);
    for (const { id } of owned) this.data.add(id);
    this.stacks.set(name, {
      ...{ id: arn(name), name, status: "UPDATE_COMPLETE", isFleet: true, terminationProtection: false, owned },
      outputs: { TableName: ids.table, SecretArn: ids.secret, FilesBucket: ids.bucket },
    });
  }

  get skein() {
    return this.stacks.get("Skein") as DeployedStack & { owned: OwnedData[] };
  }

  /** Does the work wholly or not at all. */
  #change(work: () => void): void {
    if (this.changesLeft-- <= 0) throw new Interrupted();
    work();
  }

  readonly outside: Outside = {
    findStack: async (key) => {
      const stack = this.stacks.get(key) ?? [...this.stacks.values()].find(({ id }) => id === key);
      return stack?.status === "DELETE_COMPLETE" && key !== stack.id ? undefined : stack;
    },
    ownedData: async (id) =>
      [...this.stacks.values()].flatMap((stack) => (stack.id === id ? structuredClone(stack.owned) : [])),
    otherFleets: async (id) =>
      [...this.stacks.values()].filter((stack) => stack.id !== id && stack.status !== "DELETE_COMPLETE"),
    describeData: async ({ id }) => (this.data.has(id) ? id : undefined),
    deleteData: async ({ id }) => {
      expect(this.skein.status, "Data is deleted before the stack").toBe("DELETE_COMPLETE");
      this.#change(() => this.data.delete(id));
    },
    retainData: async () =>
      this.#change(() => {
        for (const data of this.skein.owned) data.isRetained = true;
      }),
    destroyStack: async () => {
      this.#change(() => {
        this.skein.status = "DELETE_IN_PROGRESS";
      });
      for (const data of [...this.skein.owned])
        this.#change(() => {
          this.skein.owned.splice(this.skein.owned.indexOf(data), 1);
          if (!data.isRetained) this.data.delete(data.id);
        });
      this.#change(() => {
        this.skein.status = "DELETE_COMPLETE";
      });
    },
    confirm: async (text) => {
      this.asked.push(text);
      if (!this.answer) throw new Error("this was not confirmed");
    },
    readRecord: () => structuredClone(this.record),
    writeRecord: (record) =>
      this.#change(() => {
        this.record = structuredClone(record);
      }),
    deleteRecord: () =>
      this.#change(() => {
        this.record = undefined;
      }),
  };

  remove(withData: boolean, settings = existing) {
    return removeFleet({ name: "Skein", withData, existing: settings }, this.outside);
  }
}

const own = ["Skein-table", "Skein-secret", "Skein-bucket"];
const others = ["Other-table", "Other-secret", "Other-bucket"];

test("a removal with data asks with the names of what is lost, and deletes the files last", async () => {
  const account = new Account();

  const { data } = await account.remove(true);

  expect(account.asked).toEqual([
    expect.stringMatching(/for ever:\n {2}Skein-table\n {2}Skein-secret\n {2}Skein-bucket/),
  ]);
  expect(data.map(({ id }) => id)).toEqual(own);
  expect([...account.data]).toEqual(others);
  expect(account.record).toBeUndefined();
});

test("a removal that is interrupted anywhere deletes no data before the stack, and a second one finishes it", async () => {
  for (let changes = 0; ; changes++) {
    const account = new Account();
    account.changesLeft = changes;
    const first = await account.remove(true).catch((error) => error);
    if (!(first instanceof Interrupted)) break;
    account.changesLeft = Number.POSITIVE_INFINITY;
    // What was interrupted just before its last line has left nothing to finish but its record.
    await account.remove(true);
    expect([...account.data], `after ${changes} changes`).toEqual(others);
    expect(account.record).toBeUndefined();
  }
});

test.each<[string, (account: Account) => void, boolean, Partial<typeof existing>, string]>([
  [
    "termination protection is on",
    ({ skein }) => Object.assign(skein, { terminationProtection: true }),
    true,
    {},
    "terminationProtection",
  ],
  [
    "the stack is another program's",
    ({ skein }) => Object.assign(skein, { isFleet: false }),
    true,
    {},
    "not one of Skein",
  ],
  [
    "the stack is being updated",
    ({ skein }) => Object.assign(skein, { status: "UPDATE_IN_PROGRESS" }),
    true,
    {},
    "being changed",
  ],
  ["the answer is no", (account) => Object.assign(account, { answer: false }), true, {}, "not confirmed"],
  ["the data is to be kept, and would be deleted", () => {}, false, {}, 'deployed with removal "destroy"'],
  ["the settings name another table", () => {}, true, { table: "another" }, "the settings name a table"],
  [
    "another fleet uses the bucket",
    ({ stacks, skein }) =>
      Object.assign(stacks.get("Other")?.outputs ?? {}, { FilesBucket: skein.outputs.FilesBucket }),
    true,
    {},
    "the fleet Other uses the bucket Skein-bucket",
  ],
])("when %s, a removal changes nothing", async (_, arrange, withData, instead, reason) => {
  const account = new Account();
  arrange(account);
  const before = structuredClone([account.stacks, account.data]);
  account.changesLeft = 0;

  await expect(account.remove(withData, { ...existing, ...instead })).rejects.toThrow(reason);

  expect([account.stacks, account.data]).toEqual(before);
});

test("a fleet that uses another's data leaves it, even when its removal deletes data", async () => {
  const account = new Account();
  Object.assign(account.skein, { owned: [], outputs: account.stacks.get("Other")?.outputs });

  await account.remove(true);

  expect([...account.data]).toEqual(expect.arrayContaining(others));
});

test("data of an interrupted removal that a later fleet uses is kept", async () => {
  const account = new Account();
  account.changesLeft = 7;
  await expect(account.remove(true)).rejects.toThrow(Interrupted);
  expect(account.skein.status).toBe("DELETE_COMPLETE");
  account.changesLeft = Number.POSITIVE_INFINITY;
  Object.assign(account.stacks.get("Other")?.outputs ?? {}, { FilesBucket: "Skein-bucket" });

  await account.remove(true);

  expect(account.data.has("Skein-bucket")).toBe(true);
});

test("a removal that CloudFormation does not confirm deletes no data", async () => {
  const account = new Account();
  account.outside.destroyStack = async () => {};

  await expect(account.remove(true)).rejects.toThrow("its data is kept");

  expect([...account.data]).toEqual([...others, ...own]);
});

const settings = { name: "Skein", drill: false, existing };

test.each<[string, (account: Account) => void, Partial<typeof settings>, string]>([
  [
    "its own table would be deleted",
    () => {},
    { existing: { ...existing, table: "restored" } },
    "Skein-table would be deleted",
  ],
  [
    "the stack is another program's",
    ({ skein }) => Object.assign(skein, { isFleet: false }),
    {},
    "choose another name",
  ],
  [
    "another fleet uses the table",
    () => {},
    { existing: { ...existing, table: "Other-table" } },
    "the fleet Other uses the table",
  ],
  [
    "another fleet uses the files",
    () => {},
    { existing: { ...existing, filesBucket: "Other-bucket" } },
    "the fleet Other uses the bucket",
  ],
  ["it would become a drill", () => {}, { drill: true }, "is not a drill"],
  ["it is a drill", ({ skein }) => Object.assign(skein.outputs, { Drill: "true" }), {}, "is a drill"],
])("a deployment is refused when %s", (_, arrange, change, reason) => {
  const account = new Account();
  Object.assign(account.skein.outputs, { Url: "https://chat.example" });
  arrange(account);
  const { skein, stacks } = account;
  const others = [...stacks.values()].filter(({ name }) => name !== "Skein");

  expect(() => checkDeployable({ ...settings, ...change }, skein, skein.owned, others)).toThrow(reason);
});

test("a deployment is accepted that changes nothing of other fleets, or takes a table in place of a retained one", () => {
  const { skein, stacks } = new Account();
  const others = [...stacks.values()].filter(({ name }) => name !== "Skein");
  const retained = skein.owned.map((data) => ({ ...data, isRetained: true }));

  checkDeployable(settings, skein, skein.owned, others);
  checkDeployable({ ...settings, existing: { ...existing, table: "restored" } }, skein, retained, others);
  const drill = { name: "Drill", drill: true };
  checkDeployable(
    { ...drill, existing: { ...existing, table: "restored", filesBucket: "Other-bucket" } },
    undefined,
    [],
    others,
  );
});
