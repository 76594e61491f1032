import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { deployedOutputs, environmentOf } from "./deployment.ts";
import { emulatorUrl } from "./ministack/emulator-url.ts";
import { runProgram } from "./program.ts";

/** The name by which a container of `sam local` reaches its own machine. */
const containerHost = "host.docker.internal";

/**
 * The variables of a deployed fleet's functions, for the option --env-vars of `sam local`: a template contains references in
 * their place, which SAM cannot resolve. `endpoint` is the address of an emulator of AWS.
 */
export function samEnvironment(outputs: Record<string, string>, endpoint?: string) {
  const environment = environmentOf(outputs);
  const arnPrefix = outputs.ScheduleDeadLetterArn?.replace(/[^:]*$/, "");
  const queueArns = Object.entries(environment)
    .filter(([name]) => name.startsWith("QUEUE_URL_"))
    .map(([name, queueUrl]) => [name.replace("URL", "ARN"), `${arnPrefix}${queueUrl.split("/").at(-1)}`]);
  return {
    Parameters: {
      ...environment,
      ...Object.fromEntries(queueArns),
      ...(endpoint && { AWS_ENDPOINT_URL: reachableFromContainers(endpoint) }),
    },
  };
}

function reachableFromContainers(endpoint: string): string {
  const url = new URL(endpoint);
  if (/^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname)) url.hostname = containerHost;
  return url.origin;
}

/** `npm run sam-env`: writes cdk.out/sam-env.json from the outputs of the deployment from this checkout. */
async function main(): Promise<number> {
  const file = resolve(join(import.meta.dirname, "..", "cdk.out", "sam-env.json"));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(samEnvironment(deployedOutputs(), emulatorUrl()), undefined, 2)}\n`);
  console.log(
    `Wrote ${file}: sam local invoke -t cdk.out/<name>.template.json --env-vars cdk.out/sam-env.json <function>`,
  );
  return 0;
}

if (import.meta.main) await runProgram(main);
