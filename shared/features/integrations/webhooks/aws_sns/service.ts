import * as z from "zod/mini";
import { parseJson } from "../../../../base/schema/text.ts";
import { moment } from "../../alerts.ts";
import { listOf, maybe, object, type output, text } from "../../fields.ts";
import { integration, type Post, UnreadablePayload } from "../../integration.ts";
import { checkSnsSignature, confirmSubscription, type SnsMessage } from "../../sns-signature.ts";
import { factList, jsonBlock, link, paragraphs, plain, quote, withQuote, words } from "../../text.ts";

/**
 * https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html, and of alarms
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/AlarmThatSendsEmail.html
 */

/** As it was sent: the signature is of the whole text. */
const verbatim = () => z.catch(z.string(), "");

const payload = object({
  Type: z.string(),
  TopicArn: z.string(),
  Message: z.string(),
  ...{ MessageId: verbatim(), Timestamp: verbatim(), Signature: verbatim(), SignatureVersion: verbatim() },
  ...{
    SigningCertURL: verbatim(),
    Subject: maybe(z.string()),
    Token: maybe(z.string()),
    SubscribeURL: maybe(z.string()),
  },
});
type Payload = output<typeof payload>;

const alarm = object({
  AlarmName: z.string().check(z.minLength(1)),
  NewStateValue: z.string().check(z.minLength(1)),
  ...{
    AlarmDescription: text(),
    NewStateReason: text(),
    StateChangeTime: text(),
    OldStateValue: text(),
    AlarmArn: text(),
  },
  ...{ Region: text(), AWSAccountId: text(), AlarmRule: text() },
  Trigger: maybe(
    object({
      ...{ MetricName: text(), Namespace: text(), Statistic: text(), Threshold: text() },
      Dimensions: listOf(object({ name: text(), value: text() })),
    }),
  ),
});
type Alarm = output<typeof alarm>;

/** An event of EventBridge, which many of AWS's services send. */
const awsEvent = object({
  "detail-type": z.string().check(z.minLength(1)),
  source: z.string().check(z.minLength(1)),
  ...{ region: text(), account: text(), time: text() },
  detail: z.unknown(),
});

const states: Readonly<Record<string, { emoji: string; event: string; verb: string }>> = {
  ALARM: { emoji: ":alert:", event: "alarm", verb: "went off" },
  OK: { emoji: ":checkbox:", event: "ok", verb: "is over" },
  INSUFFICIENT_DATA: { emoji: ":question:", event: "insufficient_data", verb: "has too little data" },
};

const topicNameOf = (arn: string): string => arn.split(":").at(-1) || arn;

function alarmPost(it: Alarm): Post {
  const state = states[it.NewStateValue] ?? { emoji: ":info:", event: "alarm", verb: `is ${plain(it.NewStateValue)}` };
  const [, region] = /^arn:aws[\w-]*:cloudwatch:([\w-]+):/.exec(it.AlarmArn) ?? [];
  const url =
    region &&
    `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#alarmsV2:alarm/${encodeURIComponent(it.AlarmName.toWellFormed())}`;
  const { Trigger: trigger } = it;
  const dimensions = (trigger?.Dimensions ?? []).map(({ name, value }) => `${plain(name)} ${plain(value)}`).join(", ");
  const facts = factList([
    ["Reason", plain(it.NewStateReason)],
    ["Metric", [plain(trigger?.Namespace ?? ""), plain(trigger?.MetricName ?? "")].filter(Boolean).join(" ")],
    ["Of", dimensions],
    ["Rule", plain(it.AlarmRule)],
    ["Since", it.StateChangeTime && moment(it.StateChangeTime.replace(/\+0000$/, "Z"))],
    ["Before", plain(words(it.OldStateValue.toLowerCase()))],
    ["Account", [plain(it.AWSAccountId), plain(it.Region)].filter(Boolean).join(", ")],
  ]);
  return {
    topic: it.AlarmName,
    content: paragraphs(
      `${state.emoji} The alarm ${link(it.AlarmName, url)} ${state.verb}.`,
      quote(it.AlarmDescription),
      facts,
    ),
    event: state.event,
  };
}

function notificationPost({ Message: message, Subject: subject = "", TopicArn: arn }: Payload): Post {
  const json = parseJson(message);
  const asAlarm = alarm.safeParse(json);
  if (asAlarm.success) return alarmPost(asAlarm.data);
  const asEvent = awsEvent.safeParse(json);
  if (asEvent.success) {
    const { "detail-type": type, source, region, account, time, detail } = asEvent.data;
    const from = [plain(region), plain(account)].filter(Boolean).join(", ");
    return {
      topic: `${type} (${source})`,
      content: `**${plain(type)}** of ${plain(source)}${from && ` in ${from}`}${time && ` at ${moment(time)}`}:\n\n${jsonBlock(detail ?? {})}`,
      event: "event",
    };
  }
  const isData = typeof json === "object" && json !== null;
  const title = subject.trim() || topicNameOf(arn);
  return {
    topic: title,
    content: isData ? `**${plain(title)}**:\n\n${jsonBlock(json)}` : withQuote(`**${plain(title)}**`, message),
    event: "notification",
  };
}

export const service = integration({
  title: "Amazon SNS",
  summary: "CloudWatch alarms, EventBridge events, and anything else that is published to an SNS topic.",
  setUp: [
    "In the console of **Simple Notification Service**, open the topic and press **Create subscription**.",
    "Choose the protocol **HTTPS**, enter the URL, and leave **Enable raw message delivery** switched off. The subscription is confirmed by itself, which a message says.",
    "For alarms, choose the topic in CloudWatch as the action of each alarm; for events, as the target of a rule in EventBridge.",
  ],
  events: ["alarm", "ok", "insufficient_data", "event", "notification"],
  payload,
  deliveryId: ({ MessageId }) => MessageId,
  async verify(message, { headers }) {
    if (headers["x-amz-sns-rawdelivery"] === "true")
      throw new UnreadablePayload("raw message delivery is on: switch it off in the subscription");
    await checkSnsSignature(message as SnsMessage);
    if (message.Type === "SubscriptionConfirmation") await confirmSubscription(message as SnsMessage);
  },
  toPost(message) {
    const topic = topicNameOf(message.TopicArn);
    switch (message.Type) {
      case "Notification":
        return notificationPost(message);
      case "SubscriptionConfirmation":
        return { topic, content: `The topic **${plain(topic)}** is subscribed: what is published there comes here.` };
      case "UnsubscribeConfirmation":
        return { topic, content: `The topic **${plain(topic)}** is no longer subscribed.` };
      default:
        throw new UnreadablePayload(`there is no type "${message.Type.slice(0, 100)}"`);
    }
  },
});
