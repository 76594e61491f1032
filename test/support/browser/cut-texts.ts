import type { Page } from "playwright-core";

/**
 * What cannot be seen in full on a page: texts that an element around them or the edge of the screen cuts off, that break inside
 * of a word or that a field has no room for; controls and pictures beyond the edge; and what can be scrolled sideways, of which
 * only code, tables, formulas and tabs may be wider than their place.
 */
export const cutTexts = (page: Page) =>
  page.evaluate(() => {
    const found: { place: string; text: string }[] = [];
    const tolerance = 1.5;
    // What is strong is the name of something, which may be cut, and so may the names above messages and the beginning of one.
    const isHidden = (element: Element) =>
      element.closest(".unseen, .skip, .katex-mathml, [hidden], option, strong, .recipient, .words") !== null ||
      !element.checkVisibility({ visibilityProperty: true });
    /** The boxes that cut what is in an element; what can be scrolled to is not cut. */
    const clips = (element: Element | null, horizontal: boolean): DOMRect[] => {
      const boxes: DOMRect[] = [];
      for (let around = element; around; around = around.parentElement) {
        const style = getComputedStyle(around);
        const overflow = horizontal ? style.overflowX : style.overflowY;
        if (overflow === "auto" || overflow === "scroll") return boxes;
        if (overflow === "hidden" || overflow === "clip") boxes.push(around.getBoundingClientRect());
        if (style.position === "fixed") break;
      }
      return horizontal ? [...boxes, new DOMRect(0, 0, innerWidth, innerHeight)] : boxes;
    };
    const isBeyond = (inner: DOMRect, box: DOMRect) =>
      inner.left < box.left - tolerance || inner.right > box.right + tolerance;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (!element || !node.textContent?.trim() || isHidden(element)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const horizontal = clips(element, true);
      const vertical = clips(element, false);
      const isCut = [...range.getClientRects()].some(
        (text) =>
          horizontal.some((box) => isBeyond(text, box)) ||
          vertical.some((box) => text.top < box.top - 4 || text.bottom > box.bottom + 4),
      );
      if (isCut) found.push({ place: `${element.tagName}.${element.className}`, text: node.textContent.trim() });
    }
    // A heading or a button that has too little room breaks its words.
    for (const element of document.querySelectorAll("h1, h2, h3, button, label, .tabs a"))
      for (const node of element.childNodes) {
        if (node.nodeType !== Node.TEXT_NODE || isHidden(element) || element.closest(".view-head, .rows, .cards"))
          continue;
        for (const { 0: word, index } of node.textContent?.matchAll(/[^\s-]+/g) ?? []) {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
          if (tops.size > 1) found.push({ place: `${element.tagName}, broken`, text: word });
        }
      }
    const canvas = document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;
    for (const field of document.querySelectorAll<HTMLInputElement | HTMLSelectElement>("input, select")) {
      const text = field instanceof HTMLInputElement ? field.placeholder : (field.selectedOptions[0]?.text ?? "");
      if (!text || isHidden(field)) continue;
      const { font, paddingLeft, paddingRight } = getComputedStyle(field);
      canvas.font = font;
      const arrow = field instanceof HTMLSelectElement ? 16 : 0;
      const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight) - arrow;
      if (canvas.measureText(text).width > room + tolerance) found.push({ place: field.tagName, text });
    }
    const nameOf = (element: Element) => `${element.tagName}.${element.getAttribute("class") ?? ""}`;
    for (const element of document.querySelectorAll("a, button, input, select, textarea, img, svg, video, audio")) {
      if (isHidden(element) || getComputedStyle(element).opacity === "0") continue;
      const box = element.getBoundingClientRect();
      if (clips(element, true).some((around) => isBeyond(box, around)))
        found.push({ place: `${nameOf(element)} beyond the edge`, text: (element.textContent ?? "").trim() });
    }
    for (const element of document.querySelectorAll("body, body *")) {
      const { overflowX } = getComputedStyle(element);
      const scrolls = overflowX === "auto" || overflowX === "scroll" || element === document.body;
      if (
        scrolls &&
        element.scrollWidth > element.clientWidth + tolerance &&
        !element.matches("pre, table, .katex-display, .tabs, textarea")
      )
        found.push({ place: nameOf(element), text: "scrolls sideways" });
    }
    for (const element of document.querySelectorAll("dialog[open], :popover-open")) {
      const { top, bottom, left, right } = element.getBoundingClientRect();
      if (top < -tolerance || left < -tolerance || bottom > innerHeight + tolerance || right > innerWidth + tolerance)
        found.push({ place: nameOf(element), text: "is not on the screen in full" });
    }
    return found;
  });
