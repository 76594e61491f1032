import published from "@octokit/webhooks-examples" with { type: "json" };
import type { Example } from "../../example.ts";

const repository = {
  name: "Hello-World",
  full_name: "Codertocat/Hello-World",
  html_url: "https://github.com/Codertocat/Hello-World",
};
const sender = { login: "Codertocat", html_url: "https://github.com/Codertocat" };

/** Of which GitHub publishes no payload there. */
const documented: Example[] = [
  ...["push", "create", "delete"].map(
    (event): Example => [
      { "x-github-event": event },
      { ref: "refs/heads/gh-readonly-queue/main/pr-2-6113728f27ae", ref_type: "branch", repository, sender },
      null,
    ],
  ),
  [
    { "x-github-event": "registry_package" },
    {
      action: "published",
      registry_package: {
        name: "hello-world-npm",
        html_url: "https://github.com/Codertocat/Hello-World/packages/10696",
        package_version: { version: "1.0.0" },
      },
      repository,
      sender,
    },
    "Hello-World",
    "Codertocat published the package [hello-world-npm 1.0.0](https://github.com/Codertocat/Hello-World/packages/10696).",
  ],
  [
    { "x-github-event": "secret_scanning_alert" },
    {
      action: "created",
      alert: {
        number: 42,
        html_url: "https://github.com/Codertocat/Hello-World/security/secret-scanning/42",
        secret_type_display_name: "Mailgun API key",
      },
      repository,
      sender,
    },
  ],
];

/** All that GitHub publishes. */
const all = (published as unknown as { name: string; examples: unknown[] }[]).flatMap(({ name, examples: own }) =>
  own.map((payload): Example => [{ "x-github-event": name }, payload]),
);

export const examples: Example[] = [...all, ...documented];
