import { bool, int, list, strictObject } from "../../shared/base/schema/params.ts";
import { consentsOf } from "../../shared/features/exports/context.ts";
import { storeLongReply } from "../../shared/services/blobs/store-long-reply.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { listUsers } from "../../shared/store/users/users.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/export/realm/consents",
    summary: "Lists which users allow their private data to be exported.",
    caller: "admin",
    params: {},
    returns: { export_consents: list(strictObject({ user_id: int(), consented: bool() })) },
    storeLongReply,
    uses: { table: "readWrite", files: "readWrite" },
  },
  async () => ({
    export_consents: (await consentsOf(await listUsers())).map(({ userId, consented }) => ({
      user_id: userId,
      consented,
    })),
  }),
);
