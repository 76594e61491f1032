import { join } from "node:path";
import type { AwsServices } from "../../../shared/base/aws-calls.ts";
import type { SourceQueue } from "../event-source.ts";
import { Database, type Row } from "./database.ts";
import { mailOperations, type SavedMail } from "./mail.ts";
import type { Operations } from "./operations.ts";
import { startFileServer } from "./s3/file-server.ts";
import { fileOperations } from "./s3/operations.ts";
import { FileStore } from "./s3/store.ts";
import { scheduleOperations } from "./scheduler/operations.ts";
import { ScheduleStore } from "./scheduler/store.ts";
import { type Invoke, ScheduleTimer } from "./scheduler/timer.ts";
import { findOrCreateSecret, secretOperations } from "./secrets.ts";
import { queueOperations } from "./sqs/operations.ts";
import { QueueStore } from "./sqs/store.ts";

/** It is also the queues of the event sources in its process; `disconnected` must abort before `close`. */
export interface LocalServices extends SourceQueue {
  /** Answers the calls of SDK clients in this process. */
  answer: AwsServices;
  /** The origin of links to files. */
  filesUrl: string;
  stores: { database: Database; queues: QueueStore; schedules: ScheduleStore; files: FileStore };
  close(): Promise<void>;
}

/** Answers as SQS, EventBridge Scheduler, S3, Secrets Manager and SES in this process, with data in `dataFolder`. */
export async function startServices({
  dataFolder,
  receiversAreGone = false,
  invoke,
  onMail,
}: {
  dataFolder: string;
  /** Makes messages that were received before this start visible at once: their receivers have ended. */
  receiversAreGone?: boolean;
  /** Invokes the functions that are targets of schedules. */
  invoke?: Invoke;
  onMail?: ((mail: SavedMail) => void) | undefined;
}): Promise<LocalServices> {
  const database = new Database(join(dataFolder, "aws.sqlite"));
  const queues = new QueueStore(database);
  if (receiversAreGone) queues.releaseReceived();
  const schedules = new ScheduleStore(database);
  const files = new FileStore(database, join(dataFolder, "files"));
  const timer = new ScheduleTimer(schedules, queues, invoke);
  const fileServer = await startFileServer(files);
  const sqs = queueOperations(queues);
  const clients: Record<string, Operations | undefined> = {
    SQSClient: sqs,
    SchedulerClient: scheduleOperations(schedules, timer),
    S3Client: fileOperations(files),
    SecretsManagerClient: secretOperations(findOrCreateSecret(database)),
    SESv2Client: mailOperations(join(dataFolder, "mail"), onMail),
  };
  timer.tick();

  return {
    answer: ({ client, command, input, linkSeconds, disconnected }) => {
      const operations = clients[client];
      if (!operations) return undefined;
      const operation = operations[command.replace(/Command$/, "")];
      return (async () => {
        if (linkSeconds !== undefined) return { output: { link: fileServer.link(command, input, linkSeconds) } };
        if (!operation) throw new Error(`No service of this host answers ${command}`);
        return { output: ((await operation(input, disconnected)) ?? {}) as Row };
      })();
    },
    filesUrl: fileServer.url,
    stores: { database, queues, schedules, files },
    receiveMessage: sqs.ReceiveMessage,
    deleteMessages: sqs.DeleteMessageBatch,
    close: async () => {
      timer.stop();
      await fileServer.close();
      database.close();
    },
  };
}
