import { SQSClient } from "@aws-sdk/client-sqs";
import { straight } from "../aws-json.ts";

let client: SQSClient | undefined;

/** The client of jobs' queues and of bells. What is sent is as SQS has it: TLS holds that, and no digest need be compared. */
export const sqs = () => (client ??= straight(new SQSClient({ cacheMiddleware: true, md5: false }), "sqs"));
