import { SQSClient } from "@aws-sdk/client-sqs";
import { observed } from "../../base/aws/observe.ts";

let client: SQSClient | undefined;

/** The client for job queues and wake-up queues. */
export const sqs = () => (client ??= observed(new SQSClient({})));
