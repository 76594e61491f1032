import { signal } from "@preact/signals";

/** Whether the palette is open, in which one finds everything by its name. */
export const paletteOpen = signal(false);
export const togglePalette = () => {
  paletteOpen.value = !paletteOpen.value;
};
export const closePalette = () => {
  paletteOpen.value = false;
};
