/**
 * The date of the prices below: AWS's public ones for us-east-1 in dollars, without free allowances. Their sources are the pages of the
 * services: https://aws.amazon.com/dynamodb/pricing/on-demand/, lambda/pricing/, api-gateway/pricing/, s3/pricing/, sqs/pricing/,
 * sns/pricing/, eventbridge/pricing/, secrets-manager/pricing/, cloudwatch/pricing/ and, for outgoing traffic, ec2/pricing/on-demand/.
 */
export const pricesDate = "2026-11-21";

const perMillion = 1e-6;

export const prices = {
  writeUnit: 0.625 * perMillion,
  readUnit: 0.125 * perMillion,
  /** For a GB and month, of the table; with point-in-time recovery. */
  tableGbMonth: 0.25 + 0.2,
  lambdaRequest: 0.2 * perMillion,
  /** For a GB and second, on arm64. */
  lambdaGbSecond: 0.0000133334,
  /** One request to the HTTP API, of up to 512 KB. */
  gatewayRequest: 1 * perMillion,
  /** A message of up to 32 KB to or from a client of the WebSocket API; the first billion of a month. */
  connectionMessage: 1 * perMillion,
  connectionMinute: 0.25 * perMillion,
  /** A file that is put into the bucket. */
  putRequest: 5 * perMillion,
  queueRequest: 0.4 * perMillion,
  publish: 0.5 * perMillion,
  scheduleInvocation: 1 * perMillion,
  /** For a secret and month. */
  secretMonth: 0.4,
  /** For a custom metric and month, counted by the hours in which it is written. */
  metricMonth: 0.3,
  dashboardMonth: 3,
  alarmMonth: 0.1,
  /** For a GB of ingested log lines, by the class of their group. */
  logGb: 0.5,
  /** For a GB of log lines and a month; CloudWatch compresses them, which is not deducted. */
  logKeptGb: 0.03,
  /** For a GB that leaves AWS; the first 100 GB of a month are free, which is not deducted here. */
  outGb: 0.09,
} as const;

/** A function's memory in GB, as infra/aws deploys it. */
export const functionGb = 512 / 1024;

/**
 * The assumed duration of a function's run: this much for itself, and more for each stage of its calls to the table. No figure from
 * AWS is at hand. A call to the table takes a few milliseconds there, and a function with 512 MB has 0.29 of a processor for it.
 */
export const assumed = { runMs: 20, stageMs: 15 } as const;
const assumedMs = (stages: number): number => assumed.runMs + stages * assumed.stageMs;

/** The stages of a run whose stages are not counted: as many as sending a message has. */
const usualStages = 4;

/** The price of a function's run of the assumed duration. */
export const costOfRun = (stages = usualStages, gb = functionGb): number =>
  prices.lambdaRequest + (assumedMs(stages) / 1000) * gb * prices.lambdaGbSecond;

/** "$1.23", to three significant digits for small sums. */
export function dollars(sum: number): string {
  if (sum >= 100) return `$${Math.round(sum).toLocaleString("en-US")}`;
  // Hides rounding errors of sums.
  return `$${sum >= 1 || sum < 1e-9 ? Math.abs(sum).toFixed(2) : sum.toPrecision(2)}`;
}
