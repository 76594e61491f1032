import { randomUUID } from "node:crypto";
import { linkUrl } from "../../base/environment.ts";
import { ApiError } from "../../base/errors.ts";
import { checkAddress } from "../../core/users/addresses.ts";
import type { HttpRequest } from "../../services/http/event.ts";
import type { RawReply } from "../../services/http/raw-reply.ts";
import { enqueue } from "../../services/jobs/queues.ts";
import type { Realm } from "../../services/organization/access.ts";
import type { Invitation } from "../../store/users/invitations.ts";
import { limitMailRequests } from "./form-checks.ts";
import { mailJoinLinkJob } from "./jobs.ts";
import { type Form, showForm, showTextPage } from "./pages.ts";

/** Requests the e-mail with a link to join. The reply is the same whether or not the address has an account. */
export async function sendJoinLink(
  sentAddress: string,
  invitation: Invitation | undefined,
  realm: Realm,
  request: HttpRequest,
  form: (problem: string) => Form | Promise<Form>,
): Promise<RawReply> {
  return showFormAgainOnError(form, async () => {
    const email = await checkAddress(sentAddress, realm);
    await limitMailRequests(request);
    const invitationField = invitation && { invitation_id: invitation.id };
    await enqueue(mailJoinLinkJob, { id: randomUUID(), email, base_url: linkUrl(request.baseUrl), ...invitationField });
    return showTextPage("Check your email", `We have sent a link to ${email}. It is valid for a day.`);
  });
}

/** Runs `run`; if it throws BAD_REQUEST, shows the form again with the error message. */
export async function showFormAgainOnError(
  form: (problem: string) => Form | Promise<Form>,
  run: () => Promise<RawReply>,
): Promise<RawReply> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "BAD_REQUEST" || error.status !== 400) throw error;
    return showForm(await form(error.message));
  }
}
