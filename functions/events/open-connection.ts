import { openConnection } from "../../shared/features/events/connections/connections.ts";
import { connectionRoute } from "../../shared/services/connections/connection-route.ts";
import { limitSource } from "../../shared/services/http/rate-limit.ts";

export const handler = connectionRoute(
  {
    route: "$connect",
    summary: "Opens a connection with a ticket from `POST /events/connection`.",
    uses: { table: "readWrite", countsRequests: true, secret: true, connections: "manage" },
  },
  ({ connectionId, query, headers, sourceIp }) =>
    openConnection({ ticket: query.ticket ?? "", origin: headers.origin, connectionId }, () =>
      limitSource({}, sourceIp),
    ),
);
