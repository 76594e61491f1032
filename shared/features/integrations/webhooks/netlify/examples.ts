import { type Example, quoted } from "../../example.ts";

const deploy = {
  ...{ id: "5c9d2f", site_id: "0123", name: "island", branch: "main", state: "ready", context: "production" },
  ...{
    url: "http://island.example",
    ssl_url: "https://island.example",
    admin_url: "https://app.netlify.example/island",
  },
  ...{ deploy_ssl_url: "https://5c9d2f--island.example/", title: "Brave new world", committer: "miranda" },
  ...{
    commit_ref: "0123456789abcdef0123",
    commit_url: "https://git.example/island/0123456789abcdef0123",
    deploy_time: 42,
  },
};
const facts =
  "* **Commit**: [0123456789ab](https://git.example/island/0123456789abcdef0123) Brave new world\n* **By**: miranda\n* **Took**: 42 s\n* **Log**: [open](https://app.netlify.example/island/deploys/5c9d2f)";
const site = "of `main` to [island](https://5c9d2f--island.example/)";

const example = (event: string, verb: string): Example => [
  { "x-netlify-event": event },
  deploy,
  "island / main",
  `The deployment ${site} ${verb}.\n\n${facts}`,
];

export const examples: Example[] = [
  example("deploy_created", "has succeeded"),
  example("deploy_building", "has started"),
  example("deploy_locked", "is locked: no other is published"),
  example("deploy_unlocked", "is unlocked"),
  example("deploy_request_pending", "waits for an approval"),
  example("deploy_request_accepted", "was approved"),
  example("deploy_request_rejected", "was rejected"),
  [
    { "x-netlify-event": "deploy_failed" },
    {
      ...deploy,
      state: "error",
      context: "deploy-preview",
      error_message: "Build script returned 2",
      deploy_time: null,
    },
    "island / main",
    `The deployment ${site} (deploy preview) has failed:\n\n${quoted("Build script returned 2")}\n\n${facts.replace("* **Took**: 42 s\n", "")}`,
  ],
];
