import { observeAwsCalls } from "../../shared/aws.ts";
import type { AwsEmulator } from "./aws/server.ts";

/**
 * Lets what this process sends to the emulated SQS reach it without a socket: jobs and rings. What fails there is sent as
 * everybody else sends it, so that its error is the SDK's. Returns how to end that.
 */
export function sendNearby({ url, sendMessage }: Pick<AwsEmulator, "url" | "sendMessage">): () => void {
  return observeAwsCalls(
    async ({ command, input }, proceed) => {
      if (command !== "SendMessageCommand" || !String(input.QueueUrl).startsWith(`${url}/`)) return proceed();
      try {
        return { output: { ...sendMessage(input), $metadata: {} } };
      } catch {
        return proceed();
      }
    },
    { nearest: true },
  );
}
