import { randomUUID } from "node:crypto";
import { linkUrl } from "../../shared/environment.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { enqueue } from "../../shared/jobs/queues.ts";
import { checkSameOrigin, limitMailRequests } from "../../shared/joining/form-checks.ts";
import { mailResetLinkJob } from "../../shared/joining/jobs.ts";
import { pageSpec, showTextPage } from "../../shared/joining/pages.ts";
import { checkMailEnabled } from "../../shared/mail/check.ts";
import { string, withDefault } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    ...pageSpec,
    method: "POST",
    path: "/password-reset",
    summary: "Mails a password reset link. The reply is the same whether or not the address has an account.",
    params: { email: withDefault(string({ max: 254 }), "") },
    creates: "mailedLink",
    uses: { table: "readWrite", sends: ["mail"], mailFrom: true, built: ["page.html"] },
  },
  async ({ params, request }) => {
    checkSameOrigin(request);
    checkMailEnabled("ask an administrator for a link.");
    await limitMailRequests(request);
    const email = params.email.trim();
    await enqueue(mailResetLinkJob, { id: randomUUID(), email, base_url: linkUrl(request.baseUrl) });
    return showTextPage(
      "Check your e-mail",
      `If ${email} has an account here, we have sent a link to that address. It is valid for one day.`,
    );
  },
);
