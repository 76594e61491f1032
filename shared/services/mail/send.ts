import { isMailEnabled } from "../../base/environment.ts";
import type { Values } from "../../base/schema/params.ts";
import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import { leaseMail, markMailSent } from "../../store/delivery/sent-mails.ts";
import { enqueue } from "../jobs/queues.ts";
import { sendMailJob } from "./jobs.ts";
import type { Mail } from "./ses.ts";

/** The longest time for which a throttled mail is retried; SES's daily quota covers any 24 hours. */
const maxRetrySeconds = 2 * secondsPerDay;
/** The shortest delay after which a throttled e-mail is retried. Longer than a worker's lease. */
const minRetryDelaySeconds = 100;
/** The longest delay. Delays are random, so that the mails of a burst are spread over 15 minutes. */
const maxRetryDelaySeconds = 900;

/**
 * Sends an e-mail by `send`, once even if its job is repeated or runs concurrently; twice only if a worker dies between SES's
 * response and recording it. A throttled mail is enqueued again without counting as a failure, and becomes a dead
 * letter only after two days. Throws while another worker holds the mail's lease.
 */
export async function deliverMail(
  job: Values<typeof sendMailJob.body>,
  send: (mail: Mail) => Promise<boolean>,
): Promise<void> {
  if (!isMailEnabled()) return;
  const { waiting_since, settings_url, unsubscribe_url, reply_to, list_id, ...mail } = job;
  const { id } = mail;
  const state = await leaseMail(id);
  if (state === "sent") return;
  if (state === "taken") throw new Error("Another worker is sending this mail, or died doing so");
  let wasSent: boolean;
  try {
    wasSent = await send({ ...mail, replyTo: reply_to, listId: list_id, unsubscribeUrl: unsubscribe_url });
  } catch (error) {
    const now = nowSeconds();
    const since = waiting_since ?? now;
    if (!isThrottled(error) || now - since > maxRetrySeconds) throw error;
    const delaySeconds =
      minRetryDelaySeconds + Math.floor(Math.random() * (maxRetryDelaySeconds - minRetryDelaySeconds));
    return enqueue(sendMailJob, { ...job, waiting_since: since }, delaySeconds);
  }
  if (wasSent) await markMailSent(id);
}

/** Whether the account has exceeded SES's rate per second or quota per day. */
const isThrottled = (error: unknown) =>
  error instanceof Error && /^(Throttling|TooManyRequests|LimitExceeded)/.test(error.name);
