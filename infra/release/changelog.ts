/** The sections of CHANGELOG.md: `## [Unreleased]`, then `## [<version>] - <date>`, the newest first. */

const unreleased = "## [Unreleased]";

/** The text below the heading of a section; undefined if there is no such section. */
export function findSection(changelog: string, name: string): string | undefined {
  const sections = changelog.split(/^(?=## \[)/m);
  const section = sections.find((text) => text.startsWith(`## [${name}]`));
  return section?.slice(section.indexOf("\n")).trim();
}

/** The changelog in which what was unreleased is the section of a version, and nothing is unreleased. */
export const withRelease = (changelog: string, version: string, date: string): string =>
  changelog.replace(unreleased, () => `${unreleased}\n\n## [${version}] - ${date}`);
