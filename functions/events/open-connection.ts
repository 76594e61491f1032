import { connectionRoute } from "../../shared/connections/connection-route.ts";
import { openConnection } from "../../shared/events/connections/connections.ts";
import { limitSource } from "../../shared/http/rate-limit.ts";

export const handler = connectionRoute(
  {
    route: "$connect",
    summary: "Opens a connection with a ticket of `POST /events/connection`.",
    uses: { table: "readWrite", countsRequests: true, secret: true, connections: "manage" },
  },
  ({ connectionId, query, headers, sourceIp }) =>
    openConnection({ ticket: query.ticket ?? "", origin: headers.origin, connectionId }, () =>
      limitSource({}, sourceIp),
    ),
);
