import type { TestProject } from "vitest/node";
import type {} from "./target.ts";

/** Hands the cases a fleet that `npm run test:deploy` has deployed and described in the environment. */
export function setup(project: TestProject) {
  const {
    SKEIN_DEPLOYED_URL: url,
    SKEIN_DEPLOYED_HOST: hostHeader,
    SKEIN_PUSH_BOUNCER_URL: bouncerUrl = "",
  } = process.env;
  if (!url) throw new Error("SKEIN_DEPLOYED_URL is not set: run these tests by `npm run test:deploy`.");
  const names = /^(AWS_|TABLE_NAME$|QUEUE_|SCHEDULE_|FUNCTION_|SECRET_ARN$|FILES_BUCKET$)/;
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => names.test(entry[0]) && entry[1] !== undefined,
    ),
  );
  project.provide("targets", [{ kind: "deployed", url, bouncerUrl, ...(hostHeader && { hostHeader }), environment }]);
}
