import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createOrganization } from "../shared/features/bootstrap/create.ts";
import { parseOrganizationFile } from "../shared/features/bootstrap/organization-file.ts";
import { deployedOutputs, environmentOf, fleetOption } from "./deployment.ts";
import { runProgram } from "./program.ts";
import { withProgress } from "./progress.ts";

/** `npm run create-org -- --file org.json`: creates the organization in the fleet that was deployed from this checkout. */
async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { ...fleetOption, file: { type: "string" } } });
  if (!values.file) throw new Error("Specify the organization file: npm run create-org -- --file org.json");
  const file = resolve(values.file);
  const outputs = deployedOutputs();
  Object.assign(process.env, environmentOf(outputs));
  const organization = parseOrganizationFile(readFileSync(file, "utf8"));
  const created = await withProgress("Creating the organization", (report) =>
    createOrganization(organization, process.env, dirname(file), report),
  );
  console.log(
    created
      ? `Created ${organization.name}: ${outputs.Url}\nUsers with a password can log in with any client that lets them enter a server address.`
      : `The fleet already has an organization; nothing was changed: ${outputs.Url}`,
  );
  return 0;
}

await runProgram(main);
