import type { Sources } from "./rooms.ts";

/** Finds exports that no other file names: what only its own file uses is not exported, and what nothing uses does not exist. */

const exported = /^export (?:async )?(?:const|let|function\*?|class|interface|type) (\w+)/gm;

/** One line for each export of a file in `folders` whose name occurs in no other source. Code that tests alone use counts as used. */
export function unusedExports(sources: Sources, folders: readonly string[]): string[] {
  const filesByWord = new Map<string, Set<string>>();
  for (const [file, text] of sources)
    for (const word of new Set(text.match(/\w+/g)))
      filesByWord.set(word, (filesByWord.get(word) ?? new Set<string>()).add(file));
  const checked = [...sources].filter(([file]) => folders.some((folder) => file.startsWith(`${folder}/`)));
  return checked.flatMap(([file, text]) =>
    [...text.matchAll(exported)].flatMap(([, name = ""]) =>
      filesByWord.get(name)?.size === 1 ? [`${file} exports ${name}, which no other file uses`] : [],
    ),
  );
}
