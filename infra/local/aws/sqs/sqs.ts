import {
  AwsError,
  type AwsRequest,
  type AwsService,
  account,
  jsonError,
  jsonReply,
  type Operation,
  operationOf,
  readJson,
} from "../protocol.ts";
import { messageOperations, queueNameIn } from "./messages.ts";
import { queueArn } from "./queue.ts";
import type { QueueStore } from "./store.ts";

/** The numeric attributes that can be set, with their ranges. */
const numericAttributes: Record<string, [min: number, max: number] | undefined> = {
  VisibilityTimeout: [0, 43_200],
  DelaySeconds: [0, 900],
  MessageRetentionPeriod: [60, 1_209_600],
  MaximumMessageSize: [1024, 1_048_576],
  ReceiveMessageWaitTimeSeconds: [0, 20],
};
const otherAttributes = ["RedrivePolicy", "RedriveAllowPolicy", "Policy", "SqsManagedSseEnabled", "KmsMasterKeyId"];
const defaults: Record<string, string> = {
  VisibilityTimeout: "30",
  DelaySeconds: "0",
  MessageRetentionPeriod: "345600",
  MaximumMessageSize: "1048576",
  ReceiveMessageWaitTimeSeconds: "0",
};

/** SQS: AWS JSON 1.0. Standard queues only. */
export function sqsEmulator(store: QueueStore): AwsService {
  const operations: Record<string, Operation> = { ...queueOperations(store), ...messageOperations(store) };
  return {
    answer: async (request) => {
      const operation = operations[operationOf(request)];
      if (!operation) throw new AwsError("UnsupportedOperation", `This emulator has no ${operationOf(request)}`);
      return jsonReply((await operation(await readJson(request), request)) ?? {}, 200, "application/x-amz-json-1.0");
    },
    formatError: (error) => jsonError(error, "com.amazonaws.sqs#"),
  };
}

function queueOperations(store: QueueStore): Record<string, Operation> {
  const urlOf = (name: string, { origin }: AwsRequest) => `${origin}/${account}/${name}`;
  return {
    CreateQueue: ({ QueueName: name, Attributes: attributes = {} }, request) => {
      if (typeof name !== "string" || !/^[\w-]{1,80}$/.test(name)) {
        throw new AwsError(
          "InvalidParameterValue",
          "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length",
        );
      }
      checkAttributes(attributes);
      const existing = store.findQueue(name);
      if (existing) {
        const differs = Object.entries(attributes).some(
          ([key, value]) => value !== (existing.attributes[key] ?? defaults[key]),
        );
        if (differs) {
          throw new AwsError(
            "QueueNameExists",
            "A queue already exists with the same name and a different value for an attribute",
            {
              queryCode: "QueueAlreadyExists",
            },
          );
        }
      } else {
        store.putQueue({ name, region: request.region, attributes });
      }
      return { QueueUrl: urlOf(name, request) };
    },
    GetQueueUrl: ({ QueueName }, request) => ({ QueueUrl: urlOf(store.getQueue(String(QueueName)).name, request) }),
    GetQueueAttributes: (input) => {
      const queue = store.getQueue(queueNameIn(input));
      const { visible, inFlight, delayed } = store.count(queue.name);
      const current: Record<string, string> = {
        ...defaults,
        ...queue.attributes,
        QueueArn: queueArn(queue),
        ApproximateNumberOfMessages: String(visible),
        ApproximateNumberOfMessagesNotVisible: String(inFlight),
        ApproximateNumberOfMessagesDelayed: String(delayed),
        CreatedTimestamp: String(Math.floor(queue.createdAt / 1000)),
        LastModifiedTimestamp: String(Math.floor(queue.modifiedAt / 1000)),
      };
      const requested: string[] = input.AttributeNames ?? [];
      const names = requested.includes("All") ? Object.keys(current) : requested;
      return { Attributes: Object.fromEntries(names.flatMap((key) => (current[key] ? [[key, current[key]]] : []))) };
    },
    SetQueueAttributes: (input) => {
      const queue = store.getQueue(queueNameIn(input));
      checkAttributes(input.Attributes ?? {});
      store.putQueue({ ...queue, attributes: { ...queue.attributes, ...input.Attributes } });
    },
    DeleteQueue: (input) => store.deleteQueue(store.getQueue(queueNameIn(input)).name),
  };
}

function checkAttributes(attributes: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(attributes)) {
    const range = numericAttributes[name];
    if (!range && !otherAttributes.includes(name))
      throw new AwsError("InvalidAttributeName", `Unknown Attribute ${name}.`);
    const number = Number(value);
    if (range && !(value !== "" && Number.isInteger(number) && number >= range[0] && number <= range[1])) {
      throw new AwsError("InvalidAttributeValue", `Invalid value for the parameter ${name}.`);
    }
    if (name === "RedrivePolicy" && value !== "") checkRedrivePolicy(String(value));
  }
}

function checkRedrivePolicy(value: string): void {
  try {
    const { deadLetterTargetArn, maxReceiveCount } = JSON.parse(value);
    if (typeof deadLetterTargetArn === "string" && Number(maxReceiveCount) >= 1) return;
  } catch {
    // Not JSON: the same error as a policy without its fields.
  }
  throw new AwsError("InvalidAttributeValue", "Invalid value for the parameter RedrivePolicy.");
}
