import { sessionSignal } from "../session/session.ts";

/** The picture of a message that is shown large: the link around its preview. */
export const openPicture = sessionSignal<HTMLAnchorElement | undefined>(undefined);
export const closePicture = () => {
  openPicture.value = undefined;
};

/** The previews of pictures, which a click shows large. */
export const pictureLinks = ".message_inline_image:not(.message_inline_video) > a[href]";
