/** The keys of an export's files in the bucket. */

export const archiveFile = (token: string) => `exports/${token}/archive.tar.gz`;

/** Two files in turn hold what was written since the last part: a step that is taken again finds what it began with. */
export const carryFile = (token: string, step: number) => `exports/${token}/carry-${step % 2}`;

export const carryFiles = (token: string) => [carryFile(token, 0), carryFile(token, 1)];
