import { RemovalPolicy } from "aws-cdk-lib";
import { CfnQueryDefinition, type ILogGroup, LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { DeploySettings } from "./settings.ts";

/** A log group with the retention of the settings, deleted with the stack. */
export const logGroup = (scope: Construct, id: string, settings: DeploySettings): LogGroup =>
  new LogGroup(scope, id, { retention: settings.logRetention, removalPolicy: RemovalPolicy.DESTROY });

/** A question that operators ask the functions' log, by name: docs/operating.md, "Monitoring", says when. */
export const queries: Record<string, string> = {
  "failed-requests":
    "filter status >= 500 and endpoint not like /^job / | fields @timestamp, endpoint, requestId, userId",
  errors: "filter ispresent(error) | fields @timestamp, requestId, coalesce(job, work), error",
  "slow-endpoints":
    "filter durationMs > 1000 | stats count(), pct(durationMs, 50), max(durationMs), max(stages) by endpoint",
  "costly-endpoints": "stats count(), sum(readUnits), sum(writeUnits) by endpoint | sort sum(writeUnits) desc",
  "failing-jobs": "filter endpoint like /^job / and status >= 500 | stats count(), latest(requestId) by endpoint",
  "late-jobs": "filter waitedMs > 600000 | stats count(), max(waitedMs) by endpoint",
  "repeated-table-calls": "filter tableRetries > 0 | stats count(), sum(tableRetries) by endpoint",
  "denied-by-iam": "filter @message like /AccessDenied/ | stats count() by @logStream",
};

/** The questions as saved queries of CloudWatch Logs Insights, which cost nothing until they are run. Emulators have none. */
export function savedQueries(scope: Construct, logGroups: ILogGroup[], { name, emulator }: DeploySettings): void {
  if (emulator) return;
  const folder = new Construct(scope, "Queries");
  for (const [question, text] of Object.entries(queries))
    new CfnQueryDefinition(folder, question, {
      name: `${name}/${question}`,
      queryString: text,
      logGroupNames: logGroups.map(({ logGroupName }) => logGroupName),
    });
}
