import { createRequire } from "node:module";
import { loadEmojiTable } from "../../../shared/core/emoji/names.ts";
import type { Emoji } from "../../../shared/store/messages/reactions.ts";

interface DatasourceEmoji {
  unified: string;
  short_names: string[];
}

/** Slack's names of Unicode emoji, which are those of iamcal/emoji-data, with the emoji that they are here. */
export async function slackEmoji(): Promise<ReadonlyMap<string, Emoji>> {
  const table = await loadEmojiTable();
  const datasource: DatasourceEmoji[] = createRequire(import.meta.url)("emoji-datasource-google/emoji.json");
  return new Map(
    datasource.flatMap(({ unified, short_names }) => {
      const code = unified.toLowerCase().replaceAll("-fe0f", "");
      const [name] = table.namesOf(code);
      return name === undefined
        ? []
        : short_names.map((slackName): [string, Emoji] => [slackName, { name, code, type: "unicode_emoji" }]);
    }),
  );
}

/** The name of an emoji without its skin tone, as in `wave::skin-tone-3`: there are no skin tones here. */
export const withoutSkinTone = (name: string): string => name.split("::")[0] ?? name;
