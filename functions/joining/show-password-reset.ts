import { emailField, pageSpec, showForm } from "../../shared/features/joining/pages.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { checkMailEnabled } from "../../shared/services/mail/check.ts";

export const handler = endpoint(
  {
    ...pageSpec,
    method: "GET",
    path: "/password-reset",
    summary: "Shows the form that requests a password reset link.",
    params: {},
    uses: { mailFrom: true, built: ["page.html"] },
  },
  async () => {
    checkMailEnabled("ask an administrator for a link.");
    return showForm({
      title: "Forgot your password?",
      introduction: "We will send you a link to choose a new one.",
      fields: [emailField()],
      button: "Send me a link",
    });
  },
);
