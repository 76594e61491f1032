import { RemovalPolicy } from "aws-cdk-lib";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Node } from "constructs";
import { exceptionsIn } from "../../shared/outgoing/addresses.ts";
import { type Waiting, waitingNamed } from "../waiting.ts";

/** What an operator may choose at deploy, each as `-c key=value`. */
export interface DeploySettings {
  /** The stack's name; a second fleet in one account takes another. Context `name`. */
  name: string;
  /** What happens to messages and files when the stack is deleted. Context `removal`: "retain" (default) or "destroy". */
  removalPolicy: RemovalPolicy;
  /** How long logs are kept, in days. Context `logRetentionDays`. */
  logRetention: RetentionDays;
  /** Memory of each function in MB; Lambda's share of a CPU follows from it. Context `memoryMb`. */
  memoryMb: number;
  /**
   * Whether the target is MiniStack, which needs a few exceptions: see where this is read. Context `miniStack`, set by
   * `npm run test:deploy` alone.
   */
  miniStack: boolean;
  /** Private hosts, addresses and CIDRs that webhooks may be at. Context `outgoingAllow`, else `SKEIN_OUTGOING_ALLOW`. */
  outgoingAllow: string;
  /** The push bouncer; empty: no push notifications. Context `pushBouncerUrl`, else `SKEIN_PUSH_BOUNCER_URL`. */
  pushBouncerUrl: string;
  /** How clients wait for events. Context `waiting`: "bell" (default; MiniStack: "held"), "held" or "host", else `SKEIN_WAITING`. */
  waiting: Waiting;
  /** With `waiting=host`: where `npm run serve` is reached from API Gateway. Context `eventsHost`, else `SKEIN_EVENTS_HOST`. */
  eventsHost: string;
  /** Whether presence is limited to people whom one can access. Context `limitPresence`, else `SKEIN_LIMIT_PRESENCE`. */
  limitPresence: boolean;
  /** Where e-mail is from: an identity that SES has verified, or an address of one's domain. Empty: no e-mail. Context `mailFrom`. */
  mailFrom: string;
}

/** Reads the settings from the app's context; a value that cannot be meant is refused by name. */
export function deploySettings(node: Node): DeploySettings {
  const read = (key: string, byDefault: string) => String(node.tryGetContext(key) ?? byDefault);
  const name = read("name", "Skein");
  if (!/^[A-Za-z][A-Za-z0-9-]{0,50}$/.test(name)) throw new Error(`Context name: ${name} is no stack name`);
  const removal = read("removal", "retain");
  if (removal !== "retain" && removal !== "destroy") throw new Error('Context removal must be "retain" or "destroy"');
  const logRetention = Number(read("logRetentionDays", "30"));
  if (RetentionDays[logRetention] === undefined) {
    throw new Error(
      "Context logRetentionDays must be one of the periods that CloudWatch Logs has: 1, 7, 30, 90, 365 ...",
    );
  }
  const memoryMb = Number(read("memoryMb", "512"));
  if (!(Number.isInteger(memoryMb) && memoryMb >= 128 && memoryMb <= 10_240)) {
    throw new Error("Context memoryMb must be an integer from 128 to 10240");
  }
  const removalPolicy = removal === "destroy" ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
  const outgoingAllow = read("outgoingAllow", process.env.SKEIN_OUTGOING_ALLOW ?? "");
  exceptionsIn(outgoingAllow);
  const miniStack = read("miniStack", "false") === "true";
  // MiniStack has no integration of an HTTP API with SQS.
  const waiting = read("waiting", process.env.SKEIN_WAITING || (miniStack ? "held" : "bell"));
  return {
    name,
    removalPolicy,
    logRetention,
    memoryMb,
    miniStack,
    waiting: waitingNamed(waiting, "Context waiting"),
    eventsHost: checkedEventsHost(read("eventsHost", process.env.SKEIN_EVENTS_HOST ?? ""), waiting),
    limitPresence: read("limitPresence", process.env.SKEIN_LIMIT_PRESENCE ?? "false") === "true",
    outgoingAllow,
    pushBouncerUrl: checkedBouncerUrl(read("pushBouncerUrl", process.env.SKEIN_PUSH_BOUNCER_URL ?? "")),
    mailFrom: checkedAddress(read("mailFrom", process.env.SKEIN_MAIL_FROM ?? "")),
  };
}

function checkedEventsHost(url: string, waiting: string): string {
  if (waiting === "host" && !/^https?:\/\/[^\s?#]*[^\s?#/]$/.test(url))
    throw new Error("Context eventsHost must be the http or https URL of the host, without a slash at its end");
  return url;
}

function checkedBouncerUrl(url: string): string {
  if (url !== "" && !/^https?:\/\//.test(url)) throw new Error("Context pushBouncerUrl must be an http or https URL");
  return url;
}

function checkedAddress(address: string): string {
  if (address !== "" && !/^[^\s@<>]+@[^\s@<>]+$/.test(address))
    throw new Error("Context mailFrom must be an e-mail address");
  return address;
}
