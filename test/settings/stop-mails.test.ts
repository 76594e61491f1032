import { expect, test } from "vitest";
import { stopMailsJob } from "../../shared/features/settings/jobs.ts";
import { enqueue } from "../../shared/services/jobs/queues.ts";
import { noticesTo } from "../support/messages.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, type Person } from "../support/world.ts";

const names = [
  "enable_offline_email_notifications",
  "enable_stream_email_notifications",
  "enable_followed_topic_email_notifications",
  "enable_login_emails",
] as const;
const settingsOf = async (person: Person): Promise<boolean[]> => {
  const { user_settings } = await person.do("POST", "/register", { event_types: ["user_settings"] });
  return names.map((name) => user_settings[name]);
};
const off = [false, false, false, false];
let mails = 0;
/** Reports what SES reports about a mail. */
const report = async (address: string, reason: "bounce" | "complaint" | "suppressed" = "bounce") => {
  const job = { id: `mail-${Date.now()}-${++mails}`, address, reason };
  await enqueue(stopMailsJob, job);
  return job;
};

test("mail that comes back, or is reported as spam, turns the address's mails off and tells the person, who can turn them on again", async () => {
  const [ann, ben] = [await aPerson("Ann"), await aPerson("Ben")];
  await ann.do("PATCH", "/settings", { enable_stream_email_notifications: true, enable_login_emails: true });

  const job = await report(ann.email.toUpperCase());
  await eventually(async () => (await settingsOf(ann)).every((on) => !on), 30);
  // SQS may deliver a job twice, and mails that were under way come back too.
  await enqueue(stopMailsJob, job);
  await report(ann.email);
  const [notice, ...others] = await noticesTo(ann, 1);
  expect(notice).toContain(`Email to your address ${ann.email} was returned`);
  expect(others).toEqual([]);

  await ann.do("PATCH", "/settings", { enable_offline_email_notifications: true });
  expect(await settingsOf(ann)).toEqual([true, false, false, false]);
  await report(ann.email, "complaint");
  const notices = await noticesTo(ann, 2);
  const complaints = notices.filter((text) => text.includes("was reported as spam by its reader"));
  expect(complaints).toHaveLength(1);
  expect(complaints[0]).toContain("until an administrator has taken it off the account's suppression list");
  expect(notices).toHaveLength(2);
  await eventually(async () => (await settingsOf(ann)).every((on) => !on), 30);

  await ann.do("PATCH", "/settings", { enable_offline_email_notifications: true });
  await report(ann.email, "suppressed");
  const all = await noticesTo(ann, 3);
  expect(all.filter((text) => text.includes("reported as spam"))).toHaveLength(1);
  expect(all.filter((text) => text.includes("was not sent, because the address is on the suppression"))).toHaveLength(
    1,
  );
  await eventually(async () => (await settingsOf(ann)).every((on) => !on), 30);
  expect(await settingsOf(ben)).not.toEqual(off);
});

test("a report about an address that is nobody's any more changes nothing", async () => {
  const ann = await aPerson("Ann");
  const before = await settingsOf(ann);

  await report(`former-${ann.email}`);
  const marker = await aPerson("Marker");
  await report(marker.email);
  await eventually(async () => (await settingsOf(marker)).every((on) => !on), 30);

  expect(await settingsOf(ann)).toEqual(before);
});
