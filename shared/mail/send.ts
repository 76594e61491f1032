import type { Values } from "../http/params.ts";
import type { Mail } from "../jobs/mail.ts";
import { enqueue } from "../jobs/queues.ts";
import { mailIsSent } from "../settings.ts";
import { rememberMail, takeMail } from "../store/sent-mails.ts";
import { sendMailJob } from "./jobs.ts";

/** What SES has no room for waits for it so long at most: its daily quota is of any 24 hours. */
const patienceSeconds = 2 * 86_400;
/** A crowd's mail comes back spread over a quarter of an hour, when nobody has it any more who has just tried. */
const [soonest, latest] = [100, 900];

/**
 * Sends a mail by `send`; one whose job comes again, or twice at once, leaves once, and twice only when a worker dies between SES's
 * answer and the note of it. When SES has no room for it at the moment, it is put back into its queue, however often: that is no
 * failure, and must not make a dead letter of it. Throws while another worker has it, or has died with it.
 */
export async function deliverMail(
  job: Values<typeof sendMailJob.body>,
  send: (mail: Mail) => Promise<boolean>,
): Promise<void> {
  if (!mailIsSent()) return;
  const { id, to, subject, text, html, settings_url, waiting_since } = job;
  const state = await takeMail(id);
  if (state === "sent") return;
  if (state === "taken") throw new Error("Another worker is sending this mail, or died doing so");
  let left: boolean;
  try {
    left = await send({ id, to, subject, text, html, settingsUrl: settings_url });
  } catch (error) {
    const now = Math.floor(Date.now() / 1000);
    const since = waiting_since ?? now;
    if (!isThrottled(error) || now - since > patienceSeconds) throw error;
    const delay = soonest + Math.floor(Math.random() * (latest - soonest));
    return enqueue(sendMailJob, { ...job, waiting_since: since }, delay);
  }
  if (left) await rememberMail(id);
}

/** Beyond the rate for a second, or the quota for a day. */
const isThrottled = (error: unknown) =>
  error instanceof Error && /^(Throttling|TooManyRequests|LimitExceeded)/.test(error.name);
