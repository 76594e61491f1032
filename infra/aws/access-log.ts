/**
 * The line that API Gateway logs for each request. It has the route but neither path nor query, which may contain what
 * people wrote. CloudWatch adds the time; the function's own log line has the function's duration.
 */
export const accessLogLine = JSON.stringify({
  requestId: "$context.requestId",
  route: "$context.routeKey",
  status: "$context.status",
  sourceIp: "$context.identity.sourceIp",
  userAgent: "$context.identity.userAgent",
  latencyMs: "$context.responseLatency",
  error: "$context.error.responseType",
});
