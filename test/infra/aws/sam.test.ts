import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { isWorker, loadFleet } from "../../../infra/fleet.ts";
import { isQueued } from "../../../infra/queues.ts";
import { samEnvironment } from "../../../infra/sam-env.ts";
import { environmentWith, runPython } from "../../support/outside/python.ts";
import { synthesized } from "./synthesized.ts";

/** What `sam local` makes of the templates and of the file that `npm run sam-env` writes, by SAM's own code. */

interface SamFunction {
  name: string;
  handler: string;
  folder: string;
  architectures: string[];
  /** The variables in the template: texts, and references that SAM cannot resolve. */
  declared: Record<string, unknown>;
  /** The variables that the function would get. */
  variables: Record<string, string>;
}

const outputs = {
  Url: "http://127.0.0.1:9992",
  TableName: "Skein-Table",
  FilesBucket: "skein-files",
  SecretArn: "arn:aws:secretsmanager:us-east-1:000000000000:secret:Skein-Secret",
  ScheduleGroup: "Skein-Schedules",
  ScheduleRoleArn: "arn:aws:iam::000000000000:role/Skein-Schedules",
  ScheduleDeadLetterArn: "arn:aws:sqs:us-east-1:000000000000:Skein-Dead",
  WakeUpQueuesUrl: "http://localhost:4566/000000000000/Skein-wake-up-",
  ...Object.fromEntries(
    ["BackgroundJobs", "Deliveries", "Mail", "OutgoingWebhooks", "Previews", "Push"].map((name) => [
      `QueueUrl${name}`,
      `http://localhost:4566/000000000000/Skein-${name}`,
    ]),
  ),
};

let functions: SamFunction[];
let fleetSize: number;

beforeAll(async () => {
  const fleet = await loadFleet();
  // Nothing receives email without a domain for it.
  fleetSize = fleet.filter((member) => !isWorker(member) || isQueued(member)).length;
  const { outdir } = await synthesized(fleet, { samLocal: "true" });
  const [template = ""] = globSync("*.template.json", { cwd: outdir }).filter((name) => name === "Skein.template.json");
  const environment = samEnvironment(outputs, "http://127.0.0.1:4566");
  const python = await environmentWith("aws-sam-cli", "1.170.0");
  functions = await runPython(
    join(import.meta.dirname, "sam-resolver.py"),
    { template: join(outdir, template), environment },
    python,
  );
}, 600_000);

test("SAM finds every function with its handler's folder, for this machine's processor", () => {
  expect(functions).toHaveLength(fleetSize);
  for (const { folder, handler, architectures } of functions) {
    expect(existsSync(folder)).toBe(true);
    expect(handler).toBe("index.handler");
    expect(architectures).toEqual([process.arch === "x64" ? "x86_64" : "arm64"]);
  }
});

test("every function reaches the emulator, and no variable that the template declares is lost", () => {
  const { Parameters } = samEnvironment(outputs, "http://127.0.0.1:4566");
  for (const { name, declared, variables } of functions) {
    expect(variables.AWS_ENDPOINT_URL, name).toBe("http://host.docker.internal:4566");
    for (const variable of Object.keys(declared)) {
      expect(variables[variable], `${variable} of ${name}`).toBeTruthy();
      if (variable in Parameters) expect(variables[variable]).toBe((Parameters as Record<string, string>)[variable]);
    }
    // What SAM cannot resolve it replaces by the name of a resource in the template.
    const unresolved = Object.keys(declared).filter(
      (variable) => typeof declared[variable] !== "string" && !(variable in Parameters),
    );
    expect(unresolved, name).toEqual([]);
  }
  expect(functions.some(({ variables }) => variables.QUEUE_ARN_DELIVERIES?.endsWith(":Skein-Deliveries"))).toBe(true);
});
