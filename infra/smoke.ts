import { parseArgs } from "node:util";
import { operator } from "../shared/features/smoke/operator.ts";
import { runSmokeTest } from "../shared/features/smoke/report.ts";
import { environmentOf, findDeployedOutputs, fleetOption } from "./deployment.ts";
import { runProgram } from "./program.ts";

/**
 * `npm run smoke`: tries what every client needs on a deployed fleet and prints the results. `--url` names another fleet than
 * the one deployed from this checkout; `--email`, with the API key in SKEIN_API_KEY, names an account to test with.
 */
async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { ...fleetOption, url: { type: "string" }, email: { type: "string" } },
  });
  const { SKEIN_API_KEY: apiKey } = process.env;
  const { email } = values;
  if (email !== undefined && !apiKey) throw new Error("Set SKEIN_API_KEY to the account's API key.");
  const deployed = outputsFor(values.url);
  const url = values.url ?? deployed?.Url;
  if (!url) throw new Error("Name the fleet: npm run smoke -- --url https://…, or run `npm run deploy` first.");
  if (deployed) Object.assign(process.env, environmentOf(deployed));
  return await runSmokeTest({
    url,
    account: email !== undefined && apiKey ? { email, apiKey } : undefined,
    // Without the names of the fleet's resources the operator's checks are not possible.
    operator: deployed || process.env.TABLE_NAME ? operator : undefined,
  });
}

/** The outputs of the deployment from this checkout, unless `url` is another fleet's. */
function outputsFor(url: string | undefined): Record<string, string> | undefined {
  const outputs = findDeployedOutputs();
  const isSame = url === undefined || URL.parse(outputs?.Url ?? "")?.origin === URL.parse(url)?.origin;
  return isSame ? outputs : undefined;
}

await runProgram(main);
