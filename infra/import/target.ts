import { join, resolve } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { currentHost, provideHost } from "../../shared/base/host.ts";
import { mailOrReturnResetLink } from "../../shared/features/joining/mails.ts";
import type { User } from "../../shared/store/users/users.ts";
import { deployedOutputs, environmentOf, findDeployedOutputs } from "../deployment.ts";
import { startServices } from "../local/aws/services.ts";
import { lockDataFolder } from "../local/data-folder.ts";
import { provisionStorage } from "../local/provision.ts";
import { hasTable, openTable } from "../local/sqlite/open-table.ts";

/** Where an archive is imported to, and what to do when it is. */
export interface Target {
  /** How the organization is reached, and how an owner signs in, who has no password yet. */
  whatNext(owner: Pick<User, "email" | "fullName">): Promise<string>;
  /** For how long requests that have begun may still write. */
  settleMs: number;
  close(): Promise<void>;
}

/** Whether there is a table: of the fleet that was deployed from here, or in a folder that a host or an import has used. */
export const hasTarget = (dataFolder: string | undefined): boolean =>
  dataFolder === undefined
    ? process.env.TABLE_NAME !== undefined || findDeployedOutputs() !== undefined
    : hasTable(dataFolder);

/** With a data folder that folder of one machine, which no host may be using; otherwise the fleet that was deployed from here. */
export async function openTarget(dataFolder: string | undefined): Promise<Target> {
  if (dataFolder !== undefined) return openFolder(resolve(dataFolder));
  if (!process.env.TABLE_NAME) Object.assign(process.env, environmentOf(deployedOutputs()));
  await checkAwsAccess();
  return { whatNext: ownersLink, settleMs: currentHost().settleMs, close: async () => {} };
}

/** The errors that the SDK would throw at the first call do not say what to do. */
async function checkAwsAccess(): Promise<void> {
  const { region, credentials } = new DynamoDBClient({}).config;
  try {
    await region();
  } catch {
    throw new Error("No AWS region is set: set AWS_REGION to that of the deployment");
  }
  try {
    await credentials();
  } catch (error) {
    const cause = (error as Error).message;
    throw new Error(
      `There are no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (${cause})`,
    );
  }
}

/** Whether the fleet sends mail is not known here, so the link is shown; it is valid for a day. */
async function ownersLink(owner: Pick<User, "email" | "fullName">): Promise<string> {
  const url = process.env.SKEIN_URL ?? "";
  const { reset_link } = await mailOrReturnResetLink(owner, url);
  return `It is at ${url}. ${owner.email} chooses a password at ${reset_link}`;
}

async function openFolder(folder: string): Promise<Target> {
  const folderLock = lockDataFolder(folder);
  // One after the other: if the table cannot be opened, nothing keeps this process from ending.
  const { table, environment, close } = await openTable(folder);
  const services = await startServices({ dataFolder: join(folder, "aws") });
  Object.assign(process.env, environment, provisionStorage(services));
  provideHost({ table: () => table, aws: () => services.answer });
  return {
    whatNext: async ({ email }) =>
      `Start it: SKEIN_DATA=${folder} npm start. ${email} chooses a password by "Forgot password?"; the mail is shown by npm start.`,
    // No host uses the folder.
    settleMs: 0,
    close: async () => {
      await services.close();
      await close();
      folderLock.release();
    },
  };
}
