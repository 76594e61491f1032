import type { SESEvent } from "aws-lambda";

/** What SES invokes a function with for a mail that it has received. */
export function sesEvent(messageId: string, source: string, recipients: string[]): SESEvent {
  const timestamp = new Date().toISOString();
  const passed = { status: "PASS" } as const;
  return {
    Records: [
      {
        eventSource: "aws:ses",
        eventVersion: "1.0",
        ses: {
          mail: {
            ...{ timestamp, source, messageId, destination: recipients, headersTruncated: false, headers: [] },
            commonHeaders: { returnPath: source, date: timestamp, messageId },
          },
          receipt: {
            ...{ timestamp, recipients, processingTimeMillis: 500 },
            ...{ spamVerdict: passed, virusVerdict: passed, spfVerdict: passed },
            ...{ dkimVerdict: passed, dmarcVerdict: passed },
            action: { type: "Lambda", functionArn: "arn", invocationType: "Event" },
          },
        },
      },
    ],
  };
}
