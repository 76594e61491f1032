/**
 * What API Gateway writes down of each request: the route, never the path or the query, which may hold what people wrote.
 * When it was, CloudWatch keeps beside the line; what the function took, the function's own line says.
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
