import { resolve } from "node:path";
import { OrganizationFileError } from "../../shared/organization/file.ts";
import { writeRequestRecords } from "../../shared/trace.ts";
import { waitingNamed } from "../waiting.ts";
import { CannotStart } from "./engine.ts";
import { startHost } from "./host.ts";
import { requestLine, welcome } from "./messages.ts";

/** `npm start`: the whole of Skein on one machine, until SIGINT or SIGTERM. */

const root = resolve(import.meta.dirname, "../..");
const startedAt = performance.now();
writeRequestRecords((record) => console.log(requestLine(record)));

try {
  const host = await startHost({
    dataFolder: resolve(process.env.SKEIN_DATA ?? `${root}/.skein`),
    organizationFile: resolve(process.env.SKEIN_ORG ?? `${root}/organization.sample.json`),
    port: Number(process.env.PORT ?? 9991),
    waiting: localWaiting(),
  });
  console.log(await welcome(host, performance.now() - startedAt));
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, async () => {
      await host.stop();
      process.exit(0);
    });
} catch (error) {
  const expected =
    error instanceof OrganizationFileError ||
    error instanceof CannotStart ||
    (error as NodeJS.ErrnoException).code !== undefined;
  console.error(expected ? `Skein cannot start: ${(error as Error).message}` : error);
  process.exit(1);
}

function localWaiting(): "held" | "bell" {
  const waiting = waitingNamed(process.env.SKEIN_WAITING ?? "held", "SKEIN_WAITING");
  if (waiting === "host")
    throw new CannotStart('SKEIN_WAITING=host is for a deployed fleet: "npm start" is such a host.');
  return waiting;
}
