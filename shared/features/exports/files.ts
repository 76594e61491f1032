/** The keys of an export's files in the bucket. */

export const archiveFile = (token: string) => `exports/${token}/archive.tar.gz`;

/** Two carry files alternate for the bytes since the last part, so that a repeated step finds its initial state. */
export const carryFile = (token: string, step: number) => `exports/${token}/carry-${step % 2}`;

export const carryFiles = (token: string) => [carryFile(token, 0), carryFile(token, 1)];

/** The rows of a list that one step added. */
export const listFile = (token: string, list: string, file: number) => `exports/${token}/${list}-${file}.json`;
