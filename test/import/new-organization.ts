import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aFolder } from "../infra/import/slack-archive.ts";
import { theTempest } from "../infra/import/zulip-archive.ts";
import { aPrivateHost } from "../support/hosts/private-host.ts";

/** A host with an organization that nobody has used, and an archive to import in its place. */

export const owner = "prospero@milan.example";

export function aNewOrganization(password: string) {
  const file = join(mkdtempSync(join(tmpdir(), "skein-new-")), "organization.json");
  const organization = {
    name: "Anew",
    users: [{ email: owner, full_name: "The Duke", role: "owner", password }],
    channels: [{ name: "general", is_default_stream: true }],
  };
  writeFileSync(file, JSON.stringify(organization));
  return aPrivateHost({ SKEIN_TEST_ORGANIZATION: file });
}

const globe = readFileSync(join(import.meta.dirname, "../support/globe.png"));

/** An export of Zulip's, with `padding` bytes that do not compress, and that the import leaves out. */
export const anArchive = (padding = new Uint8Array()): Buffer =>
  execFileSync("tar", ["cz", "-C", aFolder({ ...theTempest(globe), "padding.bin": padding }), "."], {
    maxBuffer: 1 << 28,
  });
