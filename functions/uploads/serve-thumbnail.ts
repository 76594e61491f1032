import { string } from "../../shared/base/schema/params.ts";
import { accessUpload } from "../../shared/messaging/uploads/access.ts";
import { makePreviewsJob } from "../../shared/messaging/uploads/jobs.ts";
import { parseThumbnailPath, serveThumbnail } from "../../shared/messaging/uploads/thumbnails.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    prefix: "",
    path: "/user_uploads/thumbnail/{realm_id}/{path+}",
    summary: "Returns an image's preview as WebP, or the image itself until the preview exists.",
    note: "Previews are WebP of at most 840 by 560 pixels without metadata (`…-anim.webp` for animations), made a moment after the upload. Until then, and if no preview can be made (more than 40 million pixels, or not decodable), the same address returns the image itself: messages never show a placeholder. An animation with more than 40 million pixels in all its frames together becomes a still.",
    caller: "visitor",
    params: { realm_id: string({ max: 20 }), path: string({ max: 1000 }) },
    takesFileCookie: true,
    returns: "raw",
    needs: { realm },
    raw: { types: ["*/*"], statuses: [206, 302, 304, 416] },
    errors: ["BAD_REQUEST 404", "NONEXISTENT_SUBDOMAIN"],
    uses: { table: "read", secret: true, files: "read", sends: [makePreviewsJob.queue] },
  },
  async ({ caller, params, request, realm }) => {
    const { pathId, isAnimated } = parseThumbnailPath(`${params.realm_id}/${params.path}`);
    const upload = await accessUpload(caller, pathId, realm);
    return serveThumbnail(upload, isAnimated, request);
  },
);
