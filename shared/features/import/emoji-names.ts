import { createRequire } from "node:module";
import { loadEmojiTable } from "../../core/emoji/names.ts";
import type { Emoji } from "../../store/messages/reactions.ts";

interface DatasourceEmoji {
  unified: string;
  short_names: string[];
}

/** The names that iamcal/emoji-data gives Unicode emoji, which Slack and Mattermost use, with the emoji that they are here. */
export async function datasourceEmoji(): Promise<ReadonlyMap<string, Emoji>> {
  const table = await loadEmojiTable();
  const datasource: DatasourceEmoji[] = createRequire(import.meta.url)("emoji-datasource-google/emoji.json");
  return new Map(
    datasource.flatMap(({ unified, short_names }) => {
      const code = unified.toLowerCase().replaceAll("-fe0f", "");
      const [name] = table.namesOf(code);
      return name === undefined
        ? []
        : short_names.map((shortName): [string, Emoji] => [shortName, { name, code, type: "unicode_emoji" }]);
    }),
  );
}
