import { readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { withoutHost } from "./calls-host.ts";

/** The HTTP cases of each resource, which share their modules on the local host, too. */
const resources = [...readdirSync("functions"), "outgoing-webhooks"].map((resource) => `test/${resource}/**/*.test.ts`);

/**
 * What shared code decides is the same in every process: who may do what, what texts become, how long something may be, and the
 * order of concurrent changes. A fleet can break what a function is deployed with: its bundle, role, settings and triggers. For
 * these the remaining files call every endpoint and wait for every job.
 */
const decidedBySharedCode = [
  ...["content-access", "organization-settings", "permissions", "permission-settings"].map(
    (name) => `channels/${name}`,
  ),
  ...["refusals", "topics", "visibility-events"].map((name) => `channels/${name}`),
  ...["client-shapes", "empty-topic", "event-objects", "register-during-traffic"].map((name) => `events/${name}`),
  ...["github", "github-payloads", "services"].map((name) => `integrations/${name}`),
  ...["edit/edit-limits", "edit/move-into-protected-history"].map((name) => `messages/${name}`),
  ...["channels-by-name", "narrows"].map((name) => `messages/fetch/${name}`),
  ...["moved-unread", "old-read-marks", "unread-list"].map((name) => `messages/flags/${name}`),
  ...["automatic-visibility", "large-messages", "mentions", "refused-messages", "wildcard-mentions"].map(
    (name) => `messages/send/${name}`,
  ),
  ...["missed-mail/mail-forms", "mobile-push/legacy-tokens", "outgoing-webhooks/failures", "bots/fields"],
  ...["reactions/reaction-limits", "server/wrong-types", "settings/user-effects"],
  ...["single-sign-on/attacks", "submessages/add-submessage", "subscriptions/fields", "typing/receivers-in-channels"],
  ...["hostile-files", "hostile-pictures", "kinds"].map((name) => `uploads/${name}`),
  ...["group-settings", "permission-values"].map((name) => `user-groups/${name}`),
  ...["fields", "guessing", "hidden-addresses", "hidden-people", "limited-guests", "roles", "settings-naming"].map(
    (name) => `users/${name}`,
  ),
  "web-client/state",
].map((name) => `test/${name}.test.ts`);

/**
 * Faults of the workers that notify devices and services: the test's own process runs these workers in place of the fleet's.
 */
const outgoing = "webhook-retries outgoing-webhooks push-registrations";

/**
 * Of the web client, what a fleet can break: that its files are served, signing in, sending, files, and events by the gateway's
 * WebSocket and by polls. What the page does with the replies is the same everywhere; `npm run test:long` tests it.
 */
const webClient = ["connection", "web-client"].map((name) => `test/clients/web-client/${name}.test.ts`);

/**
 * These make calls of their own process fail or redirect them, or test what only a deployed fleet has. test/scale runs on the
 * local host only: its fifty concurrent people are too many for an emulator on two cores that starts a process for each call.
 */
const apart = [
  "test/clients/*.test.ts",
  ...webClient,
  ...outgoing.split(" ").map((name) => `test/faults/${name}.test.ts`),
  "test/deployed/**/*.test.ts",
];

/** Clients whose cases start hosts of their own on this machine, or skip a fleet because it has no wake-up queues. */
const onOneMachine = [
  ...["canaille", "contract", "scim2-tester", "zulip-term"],
  ...["python-client-at-wake-up-queue", "zulip-js-at-wake-up-queue"],
].map((name) => `test/clients/${name}.test.ts`);

const settings = {
  globalSetup: "test/support/hosts/deployed-host.ts",
  setupFiles: "test/support/test-process.ts",
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // A second, the default, is too little on a busy machine.
  expect: { poll: { timeout: 30_000 } },
  silent: "passed-only" as const,
  // The emulator's many processes may be slow on a busy machine; the cases that needed another try are listed at the end.
  retry: 2,
  // Each worker has a fleet in an emulator of its own, because event queues receive what other files do in the organization.
  maxWorkers: 2,
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...settings,
          name: "apart",
          isolate: true,
          include: apart,
          exclude: [...onOneMachine, ...withoutHost(apart)],
        },
      },
      {
        test: {
          ...settings,
          name: "resources",
          isolate: false,
          include: resources,
          exclude: [...decidedBySharedCode, ...withoutHost(resources)],
        },
      },
    ],
  },
});
