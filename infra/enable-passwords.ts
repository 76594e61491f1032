import { enablePasswords } from "../shared/core/organization/passwords.ts";
import { deployedOutputs, environmentOf } from "./deployment.ts";
import { runProgram } from "./program.ts";

/** `npm run enable-passwords`: switches passwords on again in the organization of the fleet that was deployed from this checkout. */
async function main(): Promise<number> {
  const outputs = deployedOutputs();
  Object.assign(process.env, environmentOf(outputs));
  const enabled = await enablePasswords();
  console.log(`${enabled ? "Passwords have been switched on" : "Passwords are on already"}: ${outputs.Url}`);
  return 0;
}

await runProgram(main);
