import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { ApiError } from "../../base/errors.ts";
import { checkEmojiName } from "../../core/emoji/manage.ts";
import { checkPicture, nameOfContent } from "../../core/emoji/pictures.ts";
import { emojiFile } from "../../core/emoji/urls.ts";
import { putFile } from "../../services/blobs/bucket.ts";
import { createEmoji } from "../../store/organization/emoji.ts";
import type { Write } from "../../store/table/writes.ts";
import { type OrganizationFile, OrganizationFileError } from "./organization-file.ts";

/** Stores the images of the organization file's emoji, and returns the writes that create the emoji. Errors name the field. */
export async function emojiWrites({ emoji }: OrganizationFile, folder: string): Promise<Write[]> {
  const writes = await Promise.all(
    emoji.map(async ({ name, file }, index) => {
      const emojiName = withFieldName(`emoji[${index}].name`, () => checkEmojiName(name));
      const content = await readFile(resolve(folder, file)).catch((error: Error) => {
        throw new OrganizationFileError(`emoji[${index}].file: ${error.message}`);
      });
      const { picture, still } = withFieldName(`emoji[${index}].file`, () =>
        checkPicture({ name: basename(file), content }, nameOfContent),
      );
      const files = still ? [picture, still] : [picture];
      await Promise.all(files.map((image) => putFile(emojiFile(image.name), image.content, image.contentType)));
      const stillPath = still?.name;
      const path = picture.name;
      const entry = { id: index + 1, name: emojiName, path, authorId: null, deactivated: false };
      return createEmoji(stillPath === undefined ? entry : { ...entry, stillPath });
    }),
  );
  return writes.flat();
}

/** Runs a check, whose error then begins with the name of the field. */
function withFieldName<T>(field: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof ApiError) throw new OrganizationFileError(`${field}: ${error.message}`);
    throw error;
  }
}
