import { sessionSignal } from "../session/session.ts";

/** Whether the palette is open, in which one finds everything by its name. */
export const paletteOpen = sessionSignal(false);
/** What is typed in it, also before its code is there. */
export const paletteQuery = sessionSignal("");
/** Whether Enter was pressed before its code was there. */
export const paletteEntered = sessionSignal(false);

export const togglePalette = () => {
  paletteOpen.value = !paletteOpen.value;
  paletteQuery.value = "";
  paletteEntered.value = false;
};
export const closePalette = () => {
  paletteOpen.value = false;
};
