/** Hides what a search of the settings does not look for. */

const isHeading = (element: Element) => element.tagName === "H2";

/** Hides an element unless it is wanted. */
function show(element: Element | undefined, isWanted: boolean): boolean {
  element?.toggleAttribute("hidden", !isWanted);
  return isWanted;
}

/** An element's children, each heading with what follows it up to the next one. */
function groupsOf(element: Element): Element[][] {
  const groups: Element[][] = [[]];
  for (const child of element.children) {
    if (isHeading(child)) groups.push([]);
    groups.at(-1)?.push(child);
  }
  return groups;
}

/**
 * Shows of an element that begins with its name (a section, or a block of settings) what matches: all of it if its name does, else
 * the settings whose words or choices do, with the heading above them. A form that is saved as one is shown whole. Returns whether
 * anything is shown.
 */
export function showMatching(element: Element, matches: (text: string) => boolean): boolean {
  const doesMatch = (other: Element) => matches(other.textContent ?? "");
  let isAnyShown = false;
  for (const group of groupsOf(element)) {
    const heading = group.find(isHeading);
    const isWhole = heading !== undefined && doesMatch(heading);
    let isGroupShown = isWhole;
    for (const child of group)
      if (child !== heading) {
        const isBlock = child.matches("section");
        const isShown = isBlock ? showMatching(child, isWhole ? () => true : matches) : isWhole || doesMatch(child);
        if (show(child, isShown)) isGroupShown = true;
      }
    show(heading, isGroupShown);
    if (isGroupShown) isAnyShown = true;
  }
  return show(element, isAnyShown);
}
