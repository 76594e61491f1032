import * as z from "zod/mini";
import { text } from "./fields.ts";
import { code, counted, enumerated, link, plain } from "./text.ts";

/** Messages about pushes to repositories, as those who come from Zulip know them. */

interface Commit {
  sha: string;
  message: string;
  url: string;
  author: string;
}

export interface Push {
  user: string;
  /** Compares the branch before and after. */
  url: string;
  branch: string;
  commits: readonly Commit[];
  /** Of all commits, if `commits` has only some of them. */
  count?: number;
  isForced?: boolean;
}

/** A field with Markdown of people, without the hidden comments that templates have for those who fill them in. */
export const markdown = () => z.pipe(text(), z.transform(withoutComments));

function withoutComments(written: string): string {
  // Code may be about comments.
  const parts = /```[\s\S]*?(?:```|$)|`[^`\n]*`|<!--/g;
  let shown = "";
  let at = 0;
  for (let found = parts.exec(written); found; found = parts.exec(written)) {
    if (found[0] !== "<!--") continue;
    const end = written.indexOf("-->", parts.lastIndex);
    if (end < 0) break;
    shown += written.slice(at, found.index);
    at = end + "-->".length;
    parts.lastIndex = at;
  }
  return at === 0 ? written : (shown + written.slice(at)).replace(/\n(?:[^\S\n]*\n){2,}/g, "\n\n").trim();
}

const maxCommits = 20;
const maxAuthors = 3;

export const shortSha = (sha: string): string => plain(sha.slice(0, 12));

/** The first line of a commit's message. */
export const firstLine = (message: string): string => message.split("\n", 1)[0] ?? "";

export function pushText({ user, url, branch, commits, count = commits.length, isForced }: Push): string {
  const verb = link(isForced ? "force pushed" : "pushed", url);
  if (count === 0) return `${plain(user)} ${verb} the branch ${plain(branch)}.`;
  const shown = commits.slice(0, maxCommits);
  const lines = shown.map(
    ({ sha, message, url: commitUrl }) => `* ${plain(firstLine(message))} (${link(sha.slice(0, 12), commitUrl)})`,
  );
  const more = count > shown.length ? `\n[and ${count - shown.length} more commit(s)]` : "";
  const heading = `${plain(user)} ${verb} ${counted(count, "commit")} to branch ${plain(branch)}.${authors(user, commits)}`;
  return `${heading}\n\n${lines.join("\n")}${more}`;
}

/** The authors by number of commits, unless it is the one who pushed alone. */
function authors(user: string, commits: readonly Commit[]): string {
  const counts = [...Map.groupBy(commits, ({ author }) => author)]
    .map(([name, own]) => [name, own.length] as const)
    .filter(([name]) => name !== "")
    .sort(([, a], [, b]) => b - a);
  if (counts.length === 0 || (counts.length === 1 && counts[0]?.[0] === user)) return "";
  const others = counts.slice(maxAuthors).reduce((sum, [, count]) => sum + count, 0);
  const shown = counts.slice(0, maxAuthors).map(([name, count]) => `${plain(name)} (${count})`);
  return ` Commits by ${enumerated([...shown, ...(others > 0 ? [`others (${others})`] : [])])}.`;
}

export const deletedBranchText = (user: string, url: string, branch: string): string =>
  `${plain(user)} ${link("deleted", url)} the branch ${plain(branch)}.`;

/** Whether a branch passes the URL's `branches`, a comma-separated list. */
export const isBranchWanted = (branch: string, branches: string | undefined): boolean =>
  branches === undefined || branches.split(",").some((name) => name.trim() === branch);

/** "refs/heads/a/b" is "a/b". */
export const refName = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, "");

export const fromTo = (source: string, target: string): string =>
  source && target ? ` from ${code(source)} to ${code(target)}` : "";

/** The topic of an issue or a pull request: "repository / PR #1 Title". */
export const numberedTopic = (repository: string, kind: string, number: number | string, title: string): string =>
  `${repository} / ${kind}${number} ${title}`;
