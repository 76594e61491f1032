import { RemovalPolicy } from "aws-cdk-lib";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Node } from "constructs";
import { parseAuditLogDays, parseFeatureLevel } from "../../shared/base/environment.ts";
import {
  defaultAuditLogDays,
  defaultRateLimits,
  featureLevel,
  parseRateLimits,
  type Service,
  servedLevels,
} from "../../shared/base/limits.ts";
import { exceptionsIn } from "../../shared/messaging/outgoing-webhooks/addresses.ts";
import { ConfigError, type ConfigFile, type Field, readFields } from "../config-file.ts";
import { type ListedProvider, readProviders } from "../identity-providers.ts";
import { emulatorUrl } from "../ministack/emulator-url.ts";
import { parseServerUrl } from "../server-url.ts";
import { findWaiting, type WaitingMode } from "../waiting.ts";

/** The description of a fleet's stack, by which commands tell it from other stacks. */
export const fleetDescription = "Skein, a team chat server";

/** The receipt rule set of SES that a fleet has unless the setting `mailRuleSet` names another. */
export const ownRuleSet = (fleet: string) => `${fleet}-mail`;
/** The rule of a fleet, in whatever rule set. */
export const mailRuleName = (fleet: string) => `${fleet}-mail`;

/** The settings of a deployment: see docs/operating.md, "Settings". */
export interface DeploySettings {
  /** The stack's name; a second fleet in the same account needs another name. */
  name: string;
  /** What happens to messages and files when the stack is deleted. A first deployment that fails leaves none behind. */
  removalPolicy: RemovalPolicy;
  /** How long logs are kept, in days. */
  logRetention: RetentionDays;
  /** Memory of each function in MB; Lambda allots CPU time in proportion to it. */
  memoryMb: number;
  /** Whether the target is an emulator of AWS, such as MiniStack or LocalStack, which lacks some features of AWS. */
  emulator: boolean;
  /** Whether the templates are for `sam local`, which runs functions on this machine's processor. */
  samLocal: boolean;
  /** Private hosts, addresses and CIDRs that webhooks may call. */
  outgoingAllow: string;
  /** The push bouncer's URL; empty: no push notifications. */
  pushBouncerUrl: string;
  /** The identity providers by which people sign in: docs/single-sign-on.md. */
  identityProviders: readonly ListedProvider[];
  /** The ARN of the secret with the SCIM client's token: docs/single-sign-on.md; empty: there is none. */
  scimTokenArn: string;
  /** How clients wait for events: docs/operating.md, "How clients wait for events". */
  waiting: WaitingMode;
  /** With `waiting` "host": the URL at which API Gateway reaches `npm run serve`. */
  eventsHost: string;
  /** Whether users see the presence only of people whom they can access. */
  limitPresence: boolean;
  /** For how many days the audit log keeps records. */
  auditLogDays: number;
  /** The feature level that clients are told. */
  featureLevel: number;
  /** How many requests an account may make in how many seconds, such as "200/60", or "off". */
  rateLimits: string;
  /** The sender of e-mail: an address that SES has verified, or one of a verified domain. Empty: no e-mail. */
  mailFrom: string;
  /** The domain at which the fleet receives e-mail. Empty: it receives none. */
  mailDomain: string;
  /** The existing receipt rule set of SES to which the fleet's rule is added; empty: the fleet has its own. */
  mailRuleSet: string;
  /** The API's host name, with an existing certificate or a hosted zone in which to create one. */
  domain: { name: string; certificateArn: string; hostedZoneId: string } | undefined;
  /** The base URL by which people reach the API if a proxy stands in front of it; empty: the domain's, or API Gateway's. */
  url: string;
  /** Whether API Gateway's own address of the API is closed, so that it is reached by its domain alone. */
  disableExecuteApiEndpoint: boolean;
  /** The e-mail address that alarms are sent to; empty: no alarms. */
  alarmsTo: string;
  /** Dollars that the account may cost in a month before `alarmsTo` gets a mail; 0: no budget. */
  monthlyBudget: number;
  /** Whether to create a CloudWatch dashboard. */
  dashboard: boolean;
  /** Whether the functions write custom metrics, which cost money every month: only for a dashboard or alarms. */
  metrics: boolean;
  /** Whether AWS X-Ray traces the functions. */
  tracing: boolean;
  /** The optional services that are set up; workers and recurring work of any other service are idle. */
  services: Service[];
  /** Whether CloudFormation refuses to delete the stack. */
  terminationProtection: boolean;
  /** Tags of everything that CloudFormation creates. */
  tags: Record<string, string>;
  /** The ARN of a KMS key that encrypts the data instead of the services' own keys; empty: those. */
  kmsKeyArn: string;
  /** The ARN of a managed policy that limits all roles; empty: none. */
  permissionsBoundary: string;
  /** Whether an upgrade sends a tenth of the requests to the new version of the busiest functions first. */
  canaries: boolean;
  /** The most read and write units a second that the table, and each of its indexes, may consume; 0: no limit. */
  maxUnits: { read: number; write: number };
  /** The most runs at once for the jobs of each queue; 0: Lambda's own limit. */
  jobConcurrency: number;
  /** API Gateway's throttling; above it the gateway answers 429 itself. */
  throttle: { requestsPerSecond: number; burst: number };
  /**
   * Whether the fleet only shows restored data beside the fleet that it is from: nothing runs by itself, sends anything, or writes
   * files.
   */
  drill: boolean;
  /** Existing resources to use instead of creating new ones, after a restore or a destroy. */
  existing: { table: string; tableStreamArn: string; filesBucket: string; secretArn: string };
}

/** Parsers of settings, which return undefined for invalid text; `text` also accepts empty text. */
const text = (pattern: RegExp) => (value: string) => (value === "" || pattern.test(value) ? value : undefined);
const integer = (min: number, max: number) => (value: string) =>
  /^\d{1,6}$/.test(value) && Number(value) >= min && Number(value) <= max ? Number(value) : undefined;
/** The throughput that a new table on demand has at once, which a team of 500 never uses; a flood of requests costs up to 14 dollars an hour. */
const defaultMaxUnits = { read: "12000", write: "4000" } as const;
/** Twice what a team of 500 costs. */
const defaultBudget = 50;
const flag = (value: string) => ({ true: true, false: false })[value];

/** Reads "team=chat,stage=trial". AWS reserves names that begin with "aws:". */
function tagsIn(value: string): Record<string, string> | undefined {
  const pairs = value.split(",").map((pair) => /^(?!aws:)([\w .:/@+-]{1,128})=([\w .:/@+-]{0,256})$/.exec(pair.trim()));
  return pairs.every((pair) => pair !== null)
    ? Object.fromEntries(pairs.map(([, name, tag]) => [name, tag]))
    : undefined;
}

const domainPattern = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
const secretArnOrNone = text(/^arn:aws[\w-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+$/);

export const settingFields = {
  name: {
    defaultText: "Skein",
    read: (value) => (/^[A-Za-z][A-Za-z0-9-]{0,50}$/.test(value) ? value : undefined),
    must: "be a stack name: a letter, then up to 50 letters, digits and hyphens",
  },
  removal: {
    defaultText: "retain",
    read: (value) => ({ retain: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE, destroy: RemovalPolicy.DESTROY })[value],
    must: 'be "retain" or "destroy"',
  },
  logRetentionDays: {
    defaultText: "30",
    read: (value) => (RetentionDays[Number(value)] === undefined ? undefined : (Number(value) as RetentionDays)),
    must: "be one of the periods that CloudWatch Logs has: 1, 3, 5, 7, 14, 30, 60, 90, 365 ...",
  },
  memoryMb: { defaultText: "512", read: integer(128, 10_240), must: "be an integer from 128 to 10240" },
  samLocal: { defaultText: "false", read: flag, must: "be true or false" },
  outgoingAllow: {
    defaultText: "",
    variable: "SKEIN_OUTGOING_ALLOW",
    read: (value) => {
      exceptionsIn(value);
      return value;
    },
    must: "name hosts, addresses and CIDRs, separated by commas",
  },
  pushBouncerUrl: {
    defaultText: "",
    variable: "SKEIN_PUSH_BOUNCER_URL",
    read: (value) => (value === "" || URL.canParse(value) ? text(/^https?:\/\/[^\s]+$/)(value) : undefined),
    must: "be an http or https URL",
    secret: true,
  },
  oidc: {
    defaultText: "",
    variable: "SKEIN_OIDC",
    read: (value) => readProviders(value, "client_secret_arn"),
    must: "be a JSON list of identity providers, or the path of a file with one",
    secret: true,
  },
  scimTokenArn: {
    defaultText: "",
    variable: "SKEIN_SCIM_TOKEN_ARN",
    read: secretArnOrNone,
    must: "be the whole ARN of a secret",
  },
  waiting: {
    defaultText: "",
    variable: "SKEIN_WAITING",
    read: (value) => (value === "" ? value : findWaiting(value)),
    must: 'be "held", "wake-up-queue" or "host"',
  },
  eventsHost: {
    defaultText: "",
    variable: "SKEIN_EVENTS_HOST",
    read: text(/^https?:\/\/[^\s?#]*[^\s?#/]$/),
    must: "be the http or https URL of the host, without a slash at its end",
  },
  limitPresence: { defaultText: "false", variable: "SKEIN_LIMIT_PRESENCE", read: flag, must: "be true or false" },
  auditLogDays: {
    defaultText: String(defaultAuditLogDays),
    variable: "SKEIN_AUDIT_LOG_DAYS",
    read: parseAuditLogDays,
    must: "be an integer from 1 to 3660",
  },
  featureLevel: {
    defaultText: String(featureLevel),
    variable: "SKEIN_FEATURE_LEVEL",
    read: parseFeatureLevel,
    must: `be ${servedLevels.join(" or ")}`,
  },
  rateLimits: {
    defaultText: defaultRateLimits,
    variable: "SKEIN_RATE_LIMITS",
    read: (value) => {
      parseRateLimits(value);
      return value;
    },
    must: 'be "off", or requests/seconds such as "200/60"',
  },
  mailFrom: {
    defaultText: "",
    variable: "SKEIN_MAIL_FROM",
    read: text(/^[^\s@<>]+@[^\s@<>]+$/),
    must: "be an email address",
  },
  mailDomain: {
    defaultText: "",
    variable: "SKEIN_MAIL_DOMAIN",
    read: text(domainPattern),
    must: "be a domain in lower case, such as chat.example.com",
  },
  mailRuleSet: {
    defaultText: "",
    read: text(/^[A-Za-z0-9]([\w.-]{0,62}[A-Za-z0-9])?$/),
    must: "be the name of a receipt rule set of SES",
  },
  alarmsTo: { defaultText: "", read: text(/^[^\s@<>]+@[^\s@<>]+$/), must: "be an email address" },
  monthlyBudget: {
    defaultText: "",
    read: (value) => (value === "" ? value : integer(0, 999_999)(value)),
    must: "be an integer of dollars up to 999999; 0 for none",
  },
  dashboard: { defaultText: "false", read: flag, must: "be true or false" },
  domain: {
    defaultText: "",
    read: text(domainPattern),
    must: "be a host name in lower case, such as chat.example.com",
  },
  url: {
    defaultText: "",
    variable: "SKEIN_URL",
    read: (value) => (value === "" ? value : parseServerUrl(value)),
    must: "be an http or https URL without a path",
  },
  certificateArn: {
    defaultText: "",
    read: text(/^arn:aws[\w-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/),
    must: "be the ARN of an ACM certificate",
  },
  hostedZoneId: { defaultText: "", read: text(/^Z[A-Z0-9]{5,31}$/), must: "be the ID of a Route 53 hosted zone" },
  disableExecuteApiEndpoint: { defaultText: "false", read: flag, must: "be true or false" },
  terminationProtection: { defaultText: "false", read: flag, must: "be true or false" },
  tags: {
    defaultText: "",
    read: (value) => (value === "" ? {} : tagsIn(value)),
    must: "be names and values of tags, such as team=chat,stage=trial",
  },
  kmsKeyArn: {
    defaultText: "",
    read: text(/^arn:aws[\w-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/),
    must: "be the ARN of a KMS key",
  },
  permissionsBoundary: {
    defaultText: "",
    read: text(/^arn:aws[\w-]*:iam::(\d{12}|aws):policy\/[\w+=,.@/-]+$/),
    must: "be the ARN of a managed policy",
  },
  canaries: { defaultText: "false", read: flag, must: "be true or false" },
  maxReadUnits: {
    defaultText: defaultMaxUnits.read,
    read: integer(0, 999_999),
    must: "be an integer up to 999999; 0 for none",
  },
  maxWriteUnits: {
    defaultText: defaultMaxUnits.write,
    read: integer(0, 999_999),
    must: "be an integer up to 999999; 0 for none",
  },
  jobConcurrency: {
    defaultText: "",
    read: (value) => (value === "" ? 0 : integer(2, 1000)(value)),
    must: "be an integer from 2 to 1000",
  },
  drill: { defaultText: "false", read: flag, must: "be true or false" },
  tracing: { defaultText: "false", read: flag, must: "be true or false" },
  requestsPerSecond: { defaultText: "500", read: integer(1, 100_000), must: "be an integer from 1 to 100000" },
  burst: { defaultText: "1000", read: integer(1, 100_000), must: "be an integer from 1 to 100000" },
  table: { defaultText: "", read: text(/^[\w.-]{3,255}$/), must: "be the name of a DynamoDB table" },
  tableStreamArn: {
    defaultText: "",
    read: text(/^arn:aws[\w-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[\w.-]+\/stream\/[\w:.-]+$/),
    must: "be the ARN of a table's stream",
  },
  filesBucket: {
    defaultText: "",
    read: text(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
    must: "be the name of an S3 bucket",
  },
  secretArn: {
    defaultText: "",
    read: secretArnOrNone,
    must: "be the whole ARN of a secret",
  },
} as const satisfies Record<string, Field<unknown>>;

/** Reads each setting from the command line's context, else the file, else the environment; the error lists all problems. */
export function deploySettings(node: Node, file?: ConfigFile): DeploySettings {
  const values = asDrill(readFields(settingFields, (name) => node.tryGetContext(name), file));
  const { name, memoryMb, outgoingAllow, pushBouncerUrl, mailFrom, alarmsTo, dashboard, tracing } = values;
  const { mailDomain, mailRuleSet } = values;
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
  const emulator = emulatorUrl() !== undefined;
  // Emulators cannot integrate an HTTP API with SQS.
  const waiting = values.waiting || (emulator ? "held" : "wake-up-queue");
  if (waiting === "host" && !values.eventsHost) throw new ConfigError(['waiting "host" needs eventsHost']);
  if (table && !tableStreamArn) throw new ConfigError(["table needs tableStreamArn, its stream of new images"]);
  if (domain && !certificateArn && !hostedZoneId)
    throw new ConfigError(["domain needs certificateArn or, to create a certificate, hostedZoneId"]);
  if (!domain && (certificateArn || hostedZoneId))
    throw new ConfigError([`${certificateArn ? "certificateArn" : "hostedZoneId"} requires domain, which is not set`]);
  if (!domain && values.disableExecuteApiEndpoint)
    throw new ConfigError(["disableExecuteApiEndpoint requires domain, the only address that is left"]);
  if (Number(values.monthlyBudget) > 0 && !alarmsTo)
    throw new ConfigError(["monthlyBudget requires alarmsTo, the address that it mails"]);
  if (mailRuleSet && !mailDomain) throw new ConfigError(["mailRuleSet requires mailDomain, which is not set"]);
  if (mailDomain && mailDomain === domain)
    throw new ConfigError(["mailDomain must be another domain than domain, whose DNS records lead to the API"]);
  if (values.canaries && emulator) throw new ConfigError(["canaries needs AWS CodeDeploy, which emulators lack"]);
  return {
    ...{ name, memoryMb, emulator, outgoingAllow, pushBouncerUrl, mailFrom, alarmsTo, dashboard, tracing },
    ...{ waiting, eventsHost: values.eventsHost, limitPresence: values.limitPresence },
    ...{ rateLimits: values.rateLimits, featureLevel: values.featureLevel, auditLogDays: values.auditLogDays },
    ...{ mailDomain, mailRuleSet },
    identityProviders: values.oidc,
    scimTokenArn: values.scimTokenArn,
    url: values.url,
    samLocal: values.samLocal,
    disableExecuteApiEndpoint: values.disableExecuteApiEndpoint,
    monthlyBudget: values.monthlyBudget === "" ? (alarmsTo ? defaultBudget : 0) : values.monthlyBudget,
    ...{ terminationProtection: values.terminationProtection, tags: values.tags, canaries: values.canaries },
    ...{ kmsKeyArn: values.kmsKeyArn, permissionsBoundary: values.permissionsBoundary },
    maxUnits: { read: values.maxReadUnits, write: values.maxWriteUnits },
    metrics: dashboard || alarmsTo !== "",
    services: [
      ...(mailFrom ? ["mail" as const] : []),
      ...(mailDomain ? ["incoming-mail" as const] : []),
      ...(alarmsTo ? ["alarms" as const] : []),
    ],
    removalPolicy: values.removal,
    logRetention: values.logRetentionDays,
    domain: domain ? { name: domain, certificateArn, hostedZoneId } : undefined,
    jobConcurrency: values.jobConcurrency,
    throttle: { requestsPerSecond, burst },
    drill: values.drill,
    existing: { table, tableStreamArn, filesBucket, secretArn },
  };
}

type Values = ReturnType<typeof readFields<typeof settingFields>>;

/**
 * For a drill, the settings without what would reach people or belongs to the fleet whose settings these are: its address, mail,
 * notifications of devices, alarms and deployments in steps. Clients wait in functions, because nothing notifies them.
 */
function asDrill(values: Values): Values {
  if (!values.drill) return values;
  if (!values.table || !values.filesBucket || !values.secretArn)
    throw new ConfigError(["drill needs table, filesBucket and secretArn, the restored data and what belongs to it"]);
  return {
    ...values,
    ...{ domain: "", certificateArn: "", hostedZoneId: "", url: "", disableExecuteApiEndpoint: false },
    ...{
      mailFrom: "",
      mailDomain: "",
      mailRuleSet: "",
      pushBouncerUrl: "",
      alarmsTo: "",
      monthlyBudget: "" as const,
      dashboard: false,
    },
    ...{ canaries: false, terminationProtection: false, waiting: "held" },
  };
}
