import { sessionSignal } from "../session/session.ts";

/** Whether the palette is open, in which one finds everything by its name. */
export const paletteOpen = sessionSignal(false);
export const togglePalette = () => {
  paletteOpen.value = !paletteOpen.value;
};
export const closePalette = () => {
  paletteOpen.value = false;
};
