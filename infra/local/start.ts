import { resolve } from "node:path";
import { writeRequestRecords } from "../../shared/base/observability/trace.ts";
import { OrganizationFileError } from "../../shared/features/bootstrap/organization-file.ts";
import { operatorFolder } from "../config-file.ts";
import { withProgress } from "../progress.ts";
import { getWaiting } from "../waiting.ts";
import { CannotStartError } from "./data-folder.ts";
import { startHost } from "./host.ts";
import { parseHostNames, serverUrlIn } from "./host-names.ts";
import { mailLines, requestLine, startMessage } from "./messages.ts";
import { whenOrphaned } from "./orphaned.ts";

/** `npm start`: runs Skein on one machine until SIGINT, SIGTERM or SIGHUP, or until the process that started it ends. */

const root = resolve(import.meta.dirname, "../..");
const stopDeadlineMs = 15_000;
const startedAt = performance.now();
// What happens before the host has said where it is comes after that.
let early: string[] | undefined = [];
const show = (line: string) => (early ? void early.push(line) : console.log(line));
writeRequestRecords((record) => {
  show(requestLine(record));
  idle.refresh();
});

/** V8 collects what the start and requests have left when it needs memory, which an idle host never does. */
const idleMs = 10_000;
const idle = setTimeout(
  () => void globalThis.gc?.({ type: "major", execution: "async", flavor: "last-resort" }),
  idleMs,
);
idle.unref();

try {
  const host = await withProgress("Creating the organization", (onCreation) =>
    startHost({
      dataFolder: resolve(process.env.SKEIN_DATA ?? `${operatorFolder}/.skein`),
      tableEndpoint: process.env.SKEIN_TABLE_ENDPOINT,
      organizationFile: resolve(process.env.SKEIN_ORG ?? `${root}/organization.sample.json`),
      port: Number(process.env.PORT ?? 9991),
      address: process.env.HOST,
      development: process.env.SKEIN_DEVELOPMENT !== "false",
      waiting: localWaiting(),
      hosts: parseHostNames(process.env.SKEIN_HOSTS),
      serverUrl: serverUrlIn(process.env.SKEIN_URL),
      onMail: (mail) => show(mailLines(mail)),
      onCreation,
    }),
  );
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    // Forces an exit if the orderly stop hangs; nothing that was acknowledged is lost.
    setTimeout(() => process.exit(1), stopDeadlineMs).unref();
    await host.stop();
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  whenOrphaned(stop);
  console.log([await startMessage(host, performance.now() - startedAt), ...(early ?? [])].join("\n"));
  early = undefined;
} catch (error) {
  const expected =
    error instanceof OrganizationFileError ||
    error instanceof CannotStartError ||
    (error as NodeJS.ErrnoException).code !== undefined;
  console.error(expected ? `Skein cannot start: ${(error as Error).message}` : error);
  process.exit(1);
}

function localWaiting(): "held" | "wake-up-queue" {
  const waiting = getWaiting(process.env.SKEIN_WAITING ?? "held", "SKEIN_WAITING");
  if (waiting === "host")
    throw new CannotStartError('SKEIN_WAITING=host is for a deployed fleet: "npm start" is such a host.');
  return waiting;
}
