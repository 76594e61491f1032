import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";
import { type EndpointMember, isEndpoint, loadFleet, pathOf } from "../../../infra/fleet.ts";
import { router } from "../../../infra/local/routes.ts";
import { declaredErrors } from "../../../infra/reference/declared-errors.ts";
import { declarationOf, type ErrorName } from "../../../shared/errors.ts";

/**
 * Compares every error that a test receives with the `errors` of the endpoint. As a global setup of `npm test`, it also
 * lists, at the end of a complete run, the declared errors that no test has received.
 */

declare module "vitest" {
  export interface ProvidedContext {
    /** The folder in which each worker records received errors, if they are collected. */
    receivedErrors: string | undefined;
  }
}

const fleet = (await loadFleet()).filter(isEndpoint);
const find = router(fleet);
const noted = new Set<string>();

const lineOf = ({ spec }: EndpointMember, error: ErrorName) => `${spec.method} ${pathOf(spec)}: ${error}`;

/** Throws for an error that the endpoint does not declare, or whose fields differ from the catalogue's. */
export function checkError(method: string, url: string, status: number, body: unknown): void {
  if ((body as Record<string, unknown> | undefined)?.result !== "error") return;
  const { result: _, msg, code, ...extra } = body as Record<string, unknown>;
  const path = url.split("?")[0] ?? "";
  const member = find(method, path)?.member;
  if (!member) return;
  const names = declaredErrors(member.spec);
  const name = names.find((one) => declarationOf(one).code === code && declarationOf(one).status === status);
  if (!name)
    throw new Error(`${method} ${path} answered ${status} ${code} (${msg}), which its declaration does not list.`);
  const { fields, sometimes } = declarationOf(name);
  const others = Object.keys(extra).filter((field) => ![...fields, ...sometimes].includes(field));
  const missing = fields.filter((field) => !(field in extra));
  if (others.length > 0 || missing.length > 0)
    throw new Error(
      `${name} came with ${others.join(", ") || "nothing else"} and without ${missing.join(", ") || "nothing"}`,
    );
  note(lineOf(member, name));
}

function note(line: string): void {
  const folder = inject("receivedErrors");
  if (!folder || noted.has(line)) return;
  noted.add(line);
  appendFileSync(join(folder, String(process.pid)), `${line}\n`);
}

/** Collects received errors during a run; the returned function compares them at its end. */
export function setup(project: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "skein-errors-"));
  project.provide("receivedErrors", folder);
  return async () => {
    const received = new Set(
      readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), "utf8").split("\n")),
    );
    rmSync(folder, { recursive: true });
    if (await wasPartial(project)) return;
    const declared = fleet.flatMap((member) => (member.spec.errors ?? []).map((name) => lineOf(member, name)));
    const never = declared.filter((line) => !received.has(line));
    if (never.length > 0)
      console.log(["Errors that an endpoint declares and no test received:", ...never].join("\n  "));
  };
}

/** Whether some test files were not run or failed; then a missing error means nothing. */
async function wasPartial(project: TestProject): Promise<boolean> {
  const { testFiles } = await project.globTestFiles();
  const { state } = project.vitest;
  return state.getFiles().length < testFiles.length || state.getCountOfFailedTests() > 0;
}
