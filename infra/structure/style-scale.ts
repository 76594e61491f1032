import type { Sources } from "./rooms.ts";

/**
 * Finds what a style sheet of the web client sizes, spaces or times by a value of its own instead of one of the scale in
 * `web/base/styles/base.css`. Widths and heights are free, and so is what is in proportion to the text around it (em, %).
 */

const declaration =
  /^\s*(padding|margin|gap|row-gap|column-gap|font|font-size|font-weight|border-radius|transition|animation)(-[a-z-]+)?:([^;]+);/gm;
const loose = /(?<![\w.-])(?:\d*\.)?\d+(?:px|rem|m?s)\b/;
const weights = /^\s*(?:400|550|650|inherit)$/;

export const looseValues = (sources: Sources): string[] =>
  [...sources].flatMap(([file, text]) =>
    [...text.matchAll(declaration)]
      .filter(([, name, suffix = "", value = ""]) =>
        name + suffix === "font-weight" ? !weights.test(value) : loose.test(value),
      )
      .map(([line]) => `${file} has a value that is not on the scale: ${line.trim()}`),
  );
