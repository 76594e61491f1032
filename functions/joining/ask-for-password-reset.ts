import { randomUUID } from "node:crypto";
import { linkUrl } from "../../shared/base/environment.ts";
import { string, withDefault } from "../../shared/base/schema/params.ts";
import { checkSameOrigin, limitMailRequests } from "../../shared/features/joining/form-checks.ts";
import { mailResetLinkJob } from "../../shared/features/joining/jobs.ts";
import { pageSpec, showTextPage } from "../../shared/features/joining/pages.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { enqueue } from "../../shared/services/jobs/queues.ts";
import { checkMailEnabled } from "../../shared/services/mail/check.ts";

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
      "Check your email",
      `If ${email} has an account here, we have sent a link to that address. It is valid for one day.`,
    );
  },
);
