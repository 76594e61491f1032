import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import type { MiniStack } from "../../../infra/ministack/ministack.ts";
import { contextArgs, endsWithUs, outputsOf } from "../cdk.ts";
import { check } from "../check.ts";

const root = resolve(import.meta.dirname, "..", "..", "..");

/** How long a deployment may take until the moment at which it is killed, on a busy machine. */
const deadlineMs = 5 * 60_000;

/** What can be seen of a deployment that is running. */
interface Progress {
  printed: string;
  /** CloudFormation's status of the stack; undefined if there is none. */
  status: string | undefined;
}

/**
 * Kills the first deployment of a fleet when its change set exists, and repeated ones while CloudFormation creates the stack (which goes
 * on without them), while they wait for that, and when the stack is complete but nobody has read its outputs. The next one must go
 * through.
 */
export async function interruptFirstDeployment(name: string, miniStack: MiniStack, context: Record<string, string>) {
  rmSync(outputsOf(name), { force: true });
  await whileStackIsHeld(name, miniStack, async () => {
    // CDK executes a change set within moments, perhaps unseen.
    const isPrepared = ({ status = "" }: Progress) => /^(REVIEW|CREATE)_IN_PROGRESS$/.test(status);
    await killDeployment(name, miniStack, context, isPrepared);
    await interruptOperation(name, miniStack, context, "CREATE_IN_PROGRESS");
  });
  await killDeployment(name, miniStack, context, ({ printed }) => printed.includes(`✅  ${name}`));
  const { status = "none" } = (await describeStack(name, miniStack)) ?? {};
  check(/^(CREATE|UPDATE)_COMPLETE$/.test(status), `The repeated deployment did not go through: ${status}`);
  check(!existsSync(outputsOf(name)), "It was killed too late: the outputs are kept already");
}

/** Kills an upgrade while CloudFormation updates the stack, which goes on, and a repeated one while it waits for that. */
export const interruptUpgrade = (name: string, miniStack: MiniStack, context: Record<string, string>): Promise<void> =>
  whileStackIsHeld(name, miniStack, () => interruptOperation(name, miniStack, context, "UPDATE_IN_PROGRESS"));

async function interruptOperation(
  name: string,
  miniStack: MiniStack,
  context: Record<string, string>,
  operation: string,
): Promise<void> {
  await killDeployment(name, miniStack, context, ({ status }) => status === operation);
  const waiting = `still changing ${name} (${operation})`;
  await killDeployment(name, miniStack, context, ({ printed }) => printed.includes(waiting));
}

async function whileStackIsHeld(name: string, miniStack: MiniStack, work: () => Promise<void>): Promise<void> {
  const continueStack = miniStack.holdStack(name);
  try {
    await work();
  } finally {
    continueStack();
  }
}

/** Checks that the file of a fleet's outputs has what CloudFormation says, and returns that. */
export async function checkOutputs(
  name: string,
  miniStack: MiniStack,
  saved: Record<string, string>,
): Promise<Record<string, string>> {
  const { outputs = {} } = (await describeStack(name, miniStack)) ?? {};
  const wrong = Object.keys({ ...saved, ...outputs }).filter((output) => saved[output] !== outputs[output]);
  check(saved.TableName !== undefined && wrong.length === 0, `Outputs are missing or wrong: ${wrong.join(", ")}`);
  return saved;
}

/** Starts `npm run deploy`, and kills all of its processes at a moment. Throws if it ends before. */
async function killDeployment(
  name: string,
  miniStack: MiniStack,
  context: Record<string, string>,
  isMoment: (progress: Progress) => boolean,
): Promise<void> {
  const args = ["--require-approval", "never", ...contextArgs(name, context)];
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", resolve(root, "infra/deploy.ts"), ...args],
    {
      cwd: root,
      // A process group of its own, which ends as that of a closed terminal does.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...{ ...process.env, ...miniStack.env, SKEIN_DEPLOYMENT: outputsOf(name) },
        ...{ AWS_PROFILE: undefined, CDK_DISABLE_CLI_TELEMETRY: "true", CI: "true" },
      },
    },
  );
  endsWithUs(child);
  const closed = once(child, "close");
  const progress: Progress = { printed: "", status: undefined };
  let isKilled = false;
  const killAtMoment = () => {
    if (isKilled || child.pid === undefined || !isMoment(progress)) return;
    isKilled = true;
    process.kill(-child.pid, "SIGKILL");
  };
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data) => {
      progress.printed += data;
      killAtMoment();
    });
  for (const deadline = Date.now() + deadlineMs; !isKilled && child.exitCode === null; await pause(20)) {
    progress.status = (await describeStack(name, miniStack))?.status;
    killAtMoment();
    if (Date.now() > deadline) break;
  }
  if (!isKilled && child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  await closed;
  check(isKilled, `The deployment could not be interrupted, at ${progress.status}:\n${progress.printed.slice(-6000)}`);
}

async function describeStack(name: string, { url, env }: MiniStack) {
  const credentials = { accessKeyId: env.AWS_ACCESS_KEY_ID ?? "", secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? "" };
  const client = new CloudFormationClient({ endpoint: url, region: env.AWS_REGION ?? "", credentials });
  // There is no such stack, or it has been replaced meanwhile.
  const described = await client.send(new DescribeStacksCommand({ StackName: name })).catch(() => undefined);
  const [stack] = described?.Stacks ?? [];
  const outputs = (stack?.Outputs ?? []).map(({ OutputKey = "", OutputValue = "" }) => [OutputKey, OutputValue]);
  return stack && { status: stack.StackStatus, outputs: Object.fromEntries(outputs) as Record<string, string> };
}
