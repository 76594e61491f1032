import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Finds dangling references: to documents outside the repository, and to files and headings that do not exist. */

const root = resolve(import.meta.dirname, "../..");

/** The last commit before subjects were limited to 72 characters; absent from a shallow clone. */
const lastUncheckedCommit = "c99a28d";
const maxSubjectLength = 72;

/** Section numbers of documents that the repository does not contain. */
const externalReferences = [
  /\bcompanion reference\b/i,
  /\bcompanions?\.md\b/,
  /\bdecisions? \d+\b/i,
  /\b[AB] \d+\.\d+\b/,
  /\((?:see )?\d+\.\d+\)/,
];

/** The text of comments: `//`, and the lines of block comments. */
const commentOf = (line: string): string => /(?:^|\s)(?:\/\/|\/?\*{1,2})\s(.*)$/.exec(line)?.[1] ?? "";

export const danglingIn = (file: string, text: string): string[] =>
  text.split("\n").flatMap((line, index) => {
    const prose = file.endsWith(".md") ? line : commentOf(line);
    const externals = externalReferences.flatMap((pattern) => pattern.exec(prose)?.[0] ?? []);
    const missingDocuments = [...prose.matchAll(/(?<![\w/.-])docs\/[\w/-]+\.md/g)].flatMap(([path]) =>
      existsSync(join(root, path)) ? [] : [path],
    );
    const links = file.endsWith(".md") ? brokenLinks(file, line) : [];
    return [...externals, ...missingDocuments, ...links].map(
      (target) => `${file}:${index + 1}: "${target}" leads nowhere`,
    );
  });

/** Relative links to files or headings that do not exist. */
const brokenLinks = (file: string, line: string): string[] =>
  [...line.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [path = "", heading] = target.split("#");
    const linked = path === "" ? join(root, file) : resolve(root, dirname(file), path);
    if (!existsSync(linked)) return [target];
    return heading && linked.endsWith(".md") && !headingsOf(linked).includes(heading) ? [target] : [];
  });

/** The anchors that GitHub generates for a file's headings. */
const headingsOf = (file: string): string[] =>
  [...readFileSync(file, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );

export function danglingReferences(): string[] {
  const files = [
    ...globSync("{shared,functions,infra,bench,test,web}/**/*.{ts,tsx}", { cwd: root }),
    ...globSync("{*.md,docs/**/*.md}", { cwd: root }),
  ].filter((file) => !/(^|\/)(node_modules|api)\//.test(file) && !/references(\.test)?\.ts$/.test(file));
  return files.sort().flatMap((file) => danglingIn(file, readFileSync(join(root, file), "utf8")));
}

/** Subjects of commits with more than 72 characters. */
export function longSubjects(): string[] {
  try {
    const log = execFileSync("git", ["log", "--no-merges", "--format=%s", `${lastUncheckedCommit}..HEAD`], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return log.split("\n").filter((subject) => subject.length > maxSubjectLength);
  } catch {
    return [];
  }
}
