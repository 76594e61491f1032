import { string } from "../../shared/base/schema/params.ts";
import { accessImportByToken } from "../../shared/features/import/requests/access.ts";
import { importRuns, restartIfLeft } from "../../shared/features/import/requests/actions.ts";
import { showImportPage } from "../../shared/features/import/requests/page.ts";
import { pageSpec } from "../../shared/features/joining/pages.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";

export const handler = endpoint(
  {
    ...pageSpec,
    method: "GET",
    path: "/imports/{token}",
    summary: "Shows how far an import has come, with a button that gives it up.",
    params: { token: string({ max: 100 }) },
    errors: ["BAD_REQUEST 404"],
    uses: { table: "readWrite", starts: [importRuns], built: ["page.html"] },
  },
  async ({ params }) => {
    const request = await accessImportByToken(params.token);
    await restartIfLeft(request);
    return showImportPage(request);
  },
);
