import { RemovalPolicy } from "aws-cdk-lib";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Node } from "constructs";
import { defaultRateLimits, rateLimitsIn, type Service } from "../../shared/limits.ts";
import { exceptionsIn } from "../../shared/outgoing-webhooks/addresses.ts";
import { ConfigError, type ConfigFile, type Field, readFields } from "../config-file.ts";
import { findWaiting, type Waiting } from "../waiting.ts";

/** What an operator may choose at deploy: see docs/operating.md, "Settings". */
export interface DeploySettings {
  /** The stack's name; a second fleet in one account takes another. */
  name: string;
  /** What happens to messages and files when the stack is deleted. */
  removalPolicy: RemovalPolicy;
  /** How long logs are kept, in days. */
  logRetention: RetentionDays;
  /** Memory of each function in MB; Lambda's share of a CPU follows from it. */
  memoryMb: number;
  /**
   * Whether the target is MiniStack, which needs a few exceptions: see where this is read. Set by `npm run test:deploy`
   * alone.
   */
  miniStack: boolean;
  /** Private hosts, addresses and CIDRs that webhooks may be at. */
  outgoingAllow: string;
  /** The push bouncer; empty: no push notifications. */
  pushBouncerUrl: string;
  /** How clients wait for events: docs/operating.md, "How clients wait for events". */
  waiting: Waiting;
  /** With `waiting` "host": where `npm run serve` is reached from API Gateway. */
  eventsHost: string;
  /** Whether presence is limited to people whom one can access. */
  limitPresence: boolean;
  /** How many requests an account may make: calls per seconds, or "off". */
  rateLimits: string;
  /** Where e-mail is from: an identity that SES has verified, or an address of one's domain. Empty: no e-mail. */
  mailFrom: string;
  /** The host name at which the API answers, with a certificate that is there or a hosted zone in which to make one. */
  domain: { name: string; certificateArn: string; hostedZoneId: string } | undefined;
  /** The e-mail address to which alarms are told; empty: there are no alarms. */
  alarmsTo: string;
  /** Whether there is a dashboard. */
  dashboard: boolean;
  /** Whether the functions write metrics of their own, which cost money every month: where somebody looks at them or is called by them. */
  metrics: boolean;
  /** Whether AWS X-Ray traces the functions. */
  tracing: boolean;
  /** What is set up of that which some workers are there for alone. */
  services: Service[];
  /** What API Gateway lets through; above it, it answers 429 itself. */
  throttle: { requestsPerSecond: number; burst: number };
  /** What was there before this stack and is to be used instead of made anew: after a restore or a destroy. */
  existing: { table: string; tableStreamArn: string; filesBucket: string; secretArn: string };
}

const text = (pattern: RegExp) => (value: string) => (value === "" || pattern.test(value) ? value : undefined);
const integer = (least: number, most: number) => (value: string) =>
  /^\d{1,6}$/.test(value) && Number(value) >= least && Number(value) <= most ? Number(value) : undefined;
const flag = (value: string) => ({ true: true, false: false })[value];

const fields = {
  name: {
    byDefault: "Skein",
    read: (value) => (/^[A-Za-z][A-Za-z0-9-]{0,50}$/.test(value) ? value : undefined),
    must: "be a stack name: a letter, then up to 50 letters, digits and hyphens",
  },
  removal: {
    byDefault: "retain",
    read: (value) => ({ retain: RemovalPolicy.RETAIN, destroy: RemovalPolicy.DESTROY })[value],
    must: 'be "retain" or "destroy"',
  },
  logRetentionDays: {
    byDefault: "30",
    read: (value) => (RetentionDays[Number(value)] === undefined ? undefined : (Number(value) as RetentionDays)),
    must: "be one of the periods that CloudWatch Logs has: 1, 3, 5, 7, 14, 30, 60, 90, 365 ...",
  },
  memoryMb: { byDefault: "512", read: integer(128, 10_240), must: "be an integer from 128 to 10240" },
  outgoingAllow: {
    byDefault: "",
    variable: "SKEIN_OUTGOING_ALLOW",
    read: (value) => {
      exceptionsIn(value);
      return value;
    },
    must: "name hosts, addresses and CIDRs, separated by commas",
  },
  pushBouncerUrl: {
    byDefault: "",
    variable: "SKEIN_PUSH_BOUNCER_URL",
    read: (value) => (value === "" || URL.canParse(value) ? text(/^https?:\/\/[^\s]+$/)(value) : undefined),
    must: "be an http or https URL",
    secret: true,
  },
  waiting: {
    byDefault: "",
    variable: "SKEIN_WAITING",
    read: (value) => (value === "" ? value : findWaiting(value)),
    must: 'be "held", "wake-up-queue" or "host"',
  },
  eventsHost: {
    byDefault: "",
    variable: "SKEIN_EVENTS_HOST",
    read: text(/^https?:\/\/[^\s?#]*[^\s?#/]$/),
    must: "be the http or https URL of the host, without a slash at its end",
  },
  limitPresence: { byDefault: "false", variable: "SKEIN_LIMIT_PRESENCE", read: flag, must: "be true or false" },
  rateLimits: {
    byDefault: defaultRateLimits,
    variable: "SKEIN_RATE_LIMITS",
    read: (value) => {
      rateLimitsIn(value);
      return value;
    },
    must: 'be "off", or calls per seconds such as "200/60"',
  },
  mailFrom: {
    byDefault: "",
    variable: "SKEIN_MAIL_FROM",
    read: text(/^[^\s@<>]+@[^\s@<>]+$/),
    must: "be an e-mail address",
  },
  alarmsTo: { byDefault: "", read: text(/^[^\s@<>]+@[^\s@<>]+$/), must: "be an e-mail address" },
  dashboard: { byDefault: "false", read: flag, must: "be true or false" },
  domain: {
    byDefault: "",
    read: text(/^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/),
    must: "be a host name in lower case, such as chat.example.com",
  },
  certificateArn: {
    byDefault: "",
    read: text(/^arn:aws[\w-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/),
    must: "be the ARN of an ACM certificate",
  },
  hostedZoneId: { byDefault: "", read: text(/^Z[A-Z0-9]{5,31}$/), must: "be the ID of a Route 53 hosted zone" },
  tracing: { byDefault: "false", read: flag, must: "be true or false" },
  requestsPerSecond: { byDefault: "500", read: integer(1, 100_000), must: "be an integer from 1 to 100000" },
  burst: { byDefault: "1000", read: integer(1, 100_000), must: "be an integer from 1 to 100000" },
  table: { byDefault: "", read: text(/^[\w.-]{3,255}$/), must: "be the name of a DynamoDB table" },
  tableStreamArn: {
    byDefault: "",
    read: text(/^arn:aws[\w-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[\w.-]+\/stream\/[\w:.-]+$/),
    must: "be the ARN of a table's stream",
  },
  filesBucket: { byDefault: "", read: text(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/), must: "be the name of an S3 bucket" },
  secretArn: {
    byDefault: "",
    read: text(/^arn:aws[\w-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+$/),
    must: "be the whole ARN of a secret",
  },
  miniStack: { byDefault: "false", read: flag, must: "be true or false" },
} as const satisfies Record<string, Field<unknown>>;

/** Reads the settings from the command line's context, else the file, else the environment; all that is wrong is told at once. */
export function deploySettings(node: Node, file?: ConfigFile): DeploySettings {
  const values = readFields(fields, (name) => node.tryGetContext(name), file);
  const { name, memoryMb, miniStack, outgoingAllow, pushBouncerUrl, mailFrom, alarmsTo, dashboard, tracing } = values;
  const {
    domain,
    certificateArn,
    hostedZoneId,
    requestsPerSecond,
    burst,
    table,
    tableStreamArn,
    filesBucket,
    secretArn,
  } = values;
  // MiniStack has no integration of an HTTP API with SQS.
  const waiting = values.waiting || (miniStack ? "held" : "wake-up-queue");
  if (waiting === "host" && !values.eventsHost) throw new ConfigError(['waiting "host" needs eventsHost']);
  if (table && !tableStreamArn) throw new ConfigError(["table needs tableStreamArn, its stream of new images"]);
  if (domain && !certificateArn && !hostedZoneId)
    throw new ConfigError(["domain needs certificateArn or, for a certificate to be made, hostedZoneId"]);
  if (!domain && (certificateArn || hostedZoneId))
    throw new ConfigError([
      `${certificateArn ? "certificateArn" : "hostedZoneId"} is for a domain, and domain is not set`,
    ]);
  return {
    ...{ name, memoryMb, miniStack, outgoingAllow, pushBouncerUrl, mailFrom, alarmsTo, dashboard, tracing },
    ...{ waiting, eventsHost: values.eventsHost, limitPresence: values.limitPresence },
    rateLimits: values.rateLimits,
    metrics: dashboard || alarmsTo !== "",
    services: [...(pushBouncerUrl ? ["push" as const] : []), ...(mailFrom ? ["mail" as const] : [])],
    removalPolicy: values.removal,
    logRetention: values.logRetentionDays,
    domain: domain ? { name: domain, certificateArn, hostedZoneId } : undefined,
    throttle: { requestsPerSecond, burst },
    existing: { table, tableStreamArn, filesBucket, secretArn },
  };
}
