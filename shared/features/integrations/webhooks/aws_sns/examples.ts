import { type Example, quoted } from "../../example.ts";

const topic = "arn:aws:sns:eu-west-1:123456789012:skein-alarms";

const signed = {
  ...{
    MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
    Timestamp: "2026-03-01T12:00:00.000Z",
    SignatureVersion: "2",
  },
  ...{
    Signature: "EXAMPLE",
    SigningCertURL: "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem",
  },
};

const notification = (Message: unknown, Subject?: string) => ({
  ...{ Type: "Notification", TopicArn: topic, ...signed, ...(Subject !== undefined && { Subject }) },
  Message: typeof Message === "string" ? Message : JSON.stringify(Message),
});

const alarm = {
  ...{ AlarmName: "Skein-Jobs-DeadLetters", AWSAccountId: "123456789012", Region: "EU (Ireland)" },
  AlarmDescription: 'Jobs have failed. See docs/operating.md, "When an alarm goes off".',
  AlarmArn: "arn:aws:cloudwatch:eu-west-1:123456789012:alarm:Skein-Jobs-DeadLetters",
  StateChangeTime: "2026-03-01T11:59:58.123+0000",
  Trigger: {
    ...{ MetricName: "ApproximateNumberOfMessagesVisible", Namespace: "AWS/SQS", Statistic: "MAXIMUM", Threshold: 0 },
    Dimensions: [{ name: "QueueName", value: "skein-dead-letters" }],
  },
};
const link =
  "[Skein-Jobs-DeadLetters](https://eu-west-1.console.aws.amazon.com/cloudwatch/home?region=eu-west-1#alarmsV2:alarm/Skein-Jobs-DeadLetters)";

export const examples: Example[] = [
  [
    {},
    {
      ...{
        Type: "SubscriptionConfirmation",
        TopicArn: topic,
        ...signed,
        Token: "2336412f37fb687f5d51e6e241d09c805a5a57b30d712f79",
      },
      Message: `You have chosen to subscribe to the topic ${topic}.`,
      SubscribeURL: `https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${topic}&Token=2336412f37fb687f5d51e6e241d09c805a5a57b30d712f79`,
    },
    "skein-alarms",
    "The topic **skein-alarms** is subscribed: what is published there comes here.",
  ],
  [
    {},
    notification(
      {
        ...{ ...alarm, NewStateValue: "ALARM", OldStateValue: "OK" },
        NewStateReason:
          "Threshold Crossed: 1 datapoint [2.0 (01/03/26 11:54:00)] was greater than the threshold (0.0).",
      },
      'ALARM: "Skein-Jobs-DeadLetters" in EU (Ireland)',
    ),
    "Skein-Jobs-DeadLetters",
    [
      `:alert: The alarm ${link} went off.`,
      quoted('Jobs have failed. See docs/operating.md, "When an alarm goes off".'),
      [
        "* **Reason**: Threshold Crossed: 1 datapoint &#x5b;2.0 (01/03/26 11:54:00)&#x5d; was greater than the threshold (0.0).",
        "* **Metric**: AWS/SQS ApproximateNumberOfMessagesVisible",
        "* **Of**: QueueName skein-dead-letters",
        "* **Since**: <time:2026-03-01T11:59:58.123Z>",
        "* **Before**: ok",
        "* **Account**: 123456789012, EU (Ireland)",
      ].join("\n"),
    ].join("\n\n"),
  ],
  [
    {},
    notification({
      ...alarm,
      NewStateValue: "OK",
      OldStateValue: "ALARM",
      NewStateReason: "1 datapoint was not greater.",
    }),
  ],
  [
    {},
    notification({
      ...{ AlarmName: "Skein-Down", NewStateValue: "INSUFFICIENT_DATA", OldStateValue: "OK" },
      ...{
        AlarmRule: "ALARM(Skein-Api-5xx) OR ALARM(Skein-Smoke)",
        NewStateReason: "Unchecked: Initial alarm creation",
      },
    }),
    "Skein-Down",
    [
      ":question: The alarm Skein-Down has too little data.",
      [
        "* **Reason**: Unchecked: Initial alarm creation",
        "* **Rule**: ALARM(Skein-Api-5xx) OR ALARM(Skein-Smoke)",
        "* **Before**: ok",
      ].join("\n"),
    ].join("\n\n"),
  ],
  [
    {},
    notification({
      ...{
        version: "0",
        id: "12345678-1234",
        "detail-type": "EC2 Instance State-change Notification",
        source: "aws.ec2",
      },
      ...{ account: "123456789012", time: "2026-03-01T12:00:00Z", region: "eu-west-1", resources: [] },
      detail: { "instance-id": "i-0123456789abcdef0", state: "terminated" },
    }),
    "EC2 Instance State-change Notification (aws.ec2)",
    [
      "**EC2 Instance State-change Notification** of aws.ec2 in eu-west-1, 123456789012 at <time:2026-03-01T12:00:00.000Z>:",
      '```json\n{\n  "instance-id": "i-0123456789abcdef0",\n  "state": "terminated"\n}\n```',
    ].join("\n\n"),
  ],
  [
    {},
    notification("The backup has finished.\nIt took 3 minutes.", "Nightly backup"),
    "Nightly backup",
    `**Nightly backup**:\n\n${quoted("The backup has finished.\nIt took 3 minutes.")}`,
  ],
  [{}, notification({ disk: "full" })],
  [
    {},
    {
      ...{
        Type: "UnsubscribeConfirmation",
        TopicArn: topic,
        ...signed,
        Token: "2336412f37fb687f5d51e6e241d09c805a5a57b30d712f79",
      },
      Message: `You have chosen to deactivate subscription arn:aws:sns:eu-west-1:123456789012:skein-alarms:2bcfbf39.`,
      SubscribeURL: `https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${topic}&Token=2336412f37fb687f5d51e6e241d09c805a5a57b30d712f79`,
    },
  ],
];
