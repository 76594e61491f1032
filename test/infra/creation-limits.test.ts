import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { isEndpoint, loadFleet } from "../../infra/fleet.ts";
import { runGuarded } from "../../infra/local/guard.ts";
import { limitsPage } from "../../infra/reference/creation-limits.ts";
import { openapiOf } from "../../infra/reference/openapi.ts";
import { type CreationKind, creationLimits, limitOf } from "../../shared/base/creation-limits.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { type Item, put } from "../../shared/store/table/writes.ts";
import { complaintsAbout, kindsCreatedBy } from "../support/checks/created-items.ts";
import { watchCreations } from "../support/hosts/watch-creations.ts";
import { unique } from "../support/unique.ts";
import { isLocal } from "../support/world.ts";

/** The table of limits is complete: who adds an endpoint that may store something says what, or that it creates nothing. */

const fleet = (await loadFleet()).filter(isEndpoint);
const kindsOf = (creates: CreationKind | readonly CreationKind[] = []): CreationKind[] => [creates].flat();

/** Endpoints that change, order, mark or remove what is there, and store nothing new. */
const createNothing = new Set([
  ...["bots/edit-bot", "channel-folders/reorder-channel-folders", "channel-folders/update-channel-folder"],
  ...["channels/delete-topic", "default-streams/add-default-stream", "default-streams/edit-default-stream-group"],
  ...["default-streams/edit-default-stream-group-channels", "drafts/edit-draft", "joining/confirm-new-address"],
  "joining/end-device",
  // They change the one item that the owner has created.
  ...["import/check-import", "import/confirm-import", "import/give-up-in-page", "import/offer-import-part"],
  ...["linkifiers/edit-linkifier", "linkifiers/reorder-linkifiers", "messages/mark-all-as-read"],
  ...["messages/mark-stream-as-read", "messages/mark-topic-as-read", "messages/update-message-flags"],
  ...[
    "messages/update-message-flags-for-narrow",
    "missed-mail/unsubscribe",
    "mobile-push/send-encrypted-test-notification",
  ],
  ...["navigation-views/edit-navigation-view", "onboarding/mark-onboarding-step"],
  ...["organization/deactivate-organization", "organization/edit-user-settings-defaults"],
  ...["profile-fields/edit-profile-field", "profile-fields/reorder-profile-fields", "realm-domains/edit-realm-domain"],
  ...["saved-snippets/edit-saved-snippet", "scheduled-messages/edit-scheduled-message"],
  ...["second-factors/begin-second-factor", "second-factors/renew-recovery-codes"],
  ...["settings/edit-display-settings"],
  ...["settings/edit-notification-settings", "single-sign-on/end-sessions-by-provider"],
  ...["subscriptions/update-subscription-properties", "typing/set-edit-typing-status", "typing/set-typing-status"],
  ...["user-groups/deactivate-user-group"],
]);

test("the file of an endpoint says what it creates as its declaration does", () => {
  for (const { name, spec } of fleet) expect(kindsCreatedBy(name), name).toEqual(kindsOf(spec.creates));
});

test("every endpoint that may store something names what it creates, or is known to create nothing", () => {
  const writers = fleet.filter(
    ({ spec }) => ["POST", "PUT", "PATCH"].includes(spec.method) && Object.values(spec.uses).includes("readWrite"),
  );
  const silent = writers
    .filter(({ spec }) => kindsOf(spec.creates).length === 0)
    .map(({ resource, name }) => `${resource}/${name}`);
  expect(silent.filter((name) => !createNothing.has(name))).toEqual([]);
  expect([...createNothing].filter((name) => !silent.includes(name))).toEqual([]);
});

test("every kind is created by an endpoint, and has a limit", () => {
  const created = new Set(fleet.flatMap(({ spec }) => kindsOf(spec.creates)));
  expect(Object.keys(creationLimits).filter((kind) => !created.has(kind as CreationKind))).toEqual([]);
  const unlimited = (Object.keys(creationLimits) as CreationKind[]).filter(
    (kind) => limitOf(kind).perDay === "requests" && limitOf(kind).max === undefined,
  );
  // Their number grows with time; the organization's retention and its quota of bytes limit it.
  expect(unlimited).toEqual(["message", "edit", "topic", "upload"]);
});

test.skipIf(!isLocal())(
  "what an endpoint stores without a row of the table, or without naming it, is noticed",
  async () => {
    const stored: string[] = [];
    const stop = watchCreations((name, kind) => void stored.push(`${name} ${kind}`));
    onTestFinished(stop);
    const store = (name: string, items: Item[]) =>
      runGuarded(name, { table: "readWrite" }, () => transact(items.map((item) => put(item))));
    const id = unique("n");

    await store("create-reminder", [
      { pk: `USER#${id}`, sk: "REMINDER#1" },
      { pk: `USER#${id}`, sk: "DRAFT#1" },
      { pk: `NOVELTY#${id}`, sk: "1" },
    ]);
    // Of what is there already, nothing is said.
    await store("create-drafts", [{ pk: `NOVELTY#${id}`, sk: "1" }]);

    expect(stored).toEqual([
      "create-reminder USER/REMINDER",
      "create-reminder USER/DRAFT",
      "create-reminder NOVELTY/n",
    ]);
    expect(complaintsAbout(stored)).toEqual([
      "create-reminder NOVELTY/n: no row of the table of limits is for such items, and nothing else bounds them",
      "create-reminder USER/DRAFT: the endpoint creates none of draft according to its declaration",
    ]);
  },
);

test("docs/limits.md is generated from the code", () => {
  expect(readFileSync("docs/limits.md", "utf8"), "run `npm run docs`").toBe(limitsPage());
});

test("the reference has the whole table, and a note with each endpoint that creates something counted", () => {
  const { info, paths } = openapiOf(fleet, []) as any;
  for (const kind of Object.keys(creationLimits) as CreationKind[])
    expect(info.description).toContain(`| ${limitOf(kind).name} |`);
  expect(paths["/api/v1/user_groups/create"].post.description).toContain(
    "user groups: 100 a day, 1,000 for the organization",
  );
});
