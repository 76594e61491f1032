import { int, string } from "../../shared/base/schema/params.ts";
import { accessArchive } from "../../shared/features/exports/access.ts";
import { archiveFile } from "../../shared/features/exports/files.ts";
import { archiveName } from "../../shared/features/exports/wire.ts";
import { presignDownload } from "../../shared/services/blobs/bucket.ts";
import { disposition } from "../../shared/services/blobs/names.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { RawReply } from "../../shared/services/http/raw-reply.ts";

/** Seconds for which the signed download link is valid. */
const linkLifetimeSeconds = 60;

/** Needs no credentials, as browsers follow the link without them. The URL cannot be guessed, and expires with the archive. */
export const handler = endpoint(
  {
    method: "GET",
    prefix: "",
    path: "/exports/{export_id}/{token}/{filename}",
    summary: "Redirects to the archive of a data export.",
    note: "Anyone who has the `export_url` can use it without credentials. It cannot be guessed, and stops working when the archive is deleted. It redirects to a link that is valid for a minute.",
    caller: "anyone",
    params: { export_id: int(), token: string({ max: 100 }), filename: string({ max: 100 }) },
    returns: "raw",
    raw: { types: ["application/gzip"], statuses: [302] },
    errors: ["NOT_FOUND"],
    uses: { table: "read", files: "read" },
  },
  async ({ params }) => {
    const dataExport = await accessArchive(params.export_id, params.token);
    const link = {
      contentType: "application/gzip",
      disposition: disposition("attachment", archiveName(dataExport)),
      seconds: linkLifetimeSeconds,
    };
    const location = await presignDownload(archiveFile(dataExport.token), link);
    return new RawReply(302, { location, "cache-control": "private, no-store", "referrer-policy": "no-referrer" });
  },
);
