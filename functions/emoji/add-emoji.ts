import { addEmoji } from "../../shared/emoji/actions.ts";
import { shrinkEmojiJob } from "../../shared/emoji/jobs.ts";
import { checkEmojiName, checkMayAddEmoji, onlyPicture } from "../../shared/emoji/manage.ts";
import { checkPicture, randomName } from "../../shared/emoji/pictures.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { uploadedFiles } from "../../shared/http/uploaded-files.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { text } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/realm/emoji/{emoji_name}",
    summary: "Adds a custom emoji with the image that is sent as multipart/form-data.",
    caller: "human",
    params: { emoji_name: text() },
    prefetch: accessRealm,
    takesFile: true,
    returns: {},
    uses: { table: "readWrite", files: "readWrite", sends: [shrinkEmojiJob.queue] },
  },
  async ({ caller, params, request }) => {
    const name = checkEmojiName(params.emoji_name);
    await checkMayAddEmoji(caller, name, await accessRealm());
    const picture = checkPicture(onlyPicture(await uploadedFiles(request)), randomName);
    await addEmoji(caller.id, name, picture);
  },
);
