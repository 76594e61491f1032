import { string } from "../../shared/base/schema/params.ts";
import { accessImportByToken } from "../../shared/features/import/requests/access.ts";
import { giveUp, importRuns } from "../../shared/features/import/requests/actions.ts";
import { showImportPage } from "../../shared/features/import/requests/page.ts";
import { checkSameOrigin } from "../../shared/features/joining/form-checks.ts";
import { pageSpec } from "../../shared/features/joining/pages.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    ...pageSpec,
    method: "POST",
    path: "/imports/{token}",
    summary: "Gives up the import that the page shows.",
    params: { token: string({ max: 100 }) },
    errors: ["BAD_REQUEST 404"],
    uses: { table: "readWrite", files: "readWrite", starts: [importRuns], built: ["page.html"] },
  },
  async ({ params, request }) => {
    checkSameOrigin(request);
    return showImportPage(await giveUp(await accessImportByToken(params.token)));
  },
);
