import { text } from "../../shared/base/schema/params.ts";
import { addEmoji } from "../../shared/core/emoji/actions.ts";
import { shrinkEmojiJob } from "../../shared/core/emoji/jobs.ts";
import { checkEmojiName, checkMayAddEmoji, onlyPicture } from "../../shared/core/emoji/manage.ts";
import { checkPicture, randomName } from "../../shared/core/emoji/pictures.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { uploadedFiles } from "../../shared/services/http/uploaded-files.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/realm/emoji/{emoji_name}",
    summary: "Adds a custom emoji, whose image is sent as multipart/form-data.",
    note: "The image is a PNG, GIF, JPEG or WebP of at most 4 MiB; its type is detected from its content. A moment later, a worker shrinks it to at most 128 by 128 pixels, with all its frames (for an animated PNG, only the default picture). Until then, or if it cannot be decoded, it is served as uploaded. Only administrators may reuse names of Unicode emoji.",
    caller: "human",
    params: { emoji_name: text() },
    needs: { realm },
    takesFile: true,
    returns: {},
    creates: "emoji",
    uses: { table: "readWrite", files: "readWrite", sends: [shrinkEmojiJob.queue] },
  },
  async ({ caller, params, request, realm }) => {
    const name = checkEmojiName(params.emoji_name);
    await checkMayAddEmoji(caller, name, realm);
    const picture = checkPicture(onlyPicture(await uploadedFiles(request)), randomName);
    await addEmoji(caller.id, name, picture);
  },
);
