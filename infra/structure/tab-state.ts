import type { Sources } from "./rooms.ts";

/**
 * Finds what a module of the web client keeps for as long as the tab is open. What belongs to the person who is signed in is in
 * the session instead (`web/session/session.ts`), and goes with it.
 */

/** A variable, a signal, or an empty collection at the top of a module; not those whose type says that they do not change. */
const kept =
  /^(?:export )?(?:let (\w+)|const (\w+)(?:: (?!readonly |Readonly)[^=\n]+)? = (?:signal\b|new (?!Intl\b|Set\(\[|Map\(\[)[A-Z]\w*|\[\];|\{\};|createRef\b))/gm;
/** What runs at the top of a module and lasts. */
const lasting =
  /^(?:void )?(?:\w+\.)?(addEventListener|effect|onEvents|onOtherWindow|setInterval|setTimeout|subscribe)\(/gm;

/** An object at the top of a module, which is kept if something assigns to it. */
const object = /^(?:export )?const (\w+)(?:: (?!readonly |Readonly)[^=\n]+)? = \{/gm;
const isAssigned = (text: string, name: string) =>
  new RegExp(`\\b${name}(?:\\.\\w+|\\[[^\\]]+\\])(?:\\+\\+| [-+?|&]*= )`).test(text);

/** What belongs to the tab, by file: the language, what the browser can do, the address, and what ends sessions. */
const ofTab: Record<string, readonly string[]> = {
  "web/app/main.tsx": ["addEventListener", "effect"],
  "web/app/search.tsx": ["help"],
  "web/base/languages/language.ts": ["chosenLanguage", "current", "effect", "loading", "serverLanguages"],
  "web/base/lib/emoji.ts": ["loading", "namesByCode"],
  "web/base/lib/html.ts": ["hasFormulaStyles"],
  "web/base/lib/time.ts": ["twentyFourHours"],
  "web/navigation/places.ts": ["depth", "entry"],
  "web/navigation/router.ts": ["addEventListener", "navigations", "shown"],
  "web/service-worker/service-worker.ts": ["addEventListener"],
  "web/session/activity.ts": ["lastInputAtMs"],
  "web/session/lifetime.ts": ["endedSession", "signingOut"],
  "web/session/session.ts": ["current", "starters"],
  "web/session/unsent/lock.ts": ["queues"],
  "web/session/unsent/storage.ts": ["ownAccount", "refused"],
  "web/session/unsent/unsent-messages.ts": ["addEventListener"],
  "web/views/compose/compose.tsx": ["field"],
  "web/views/compose/preview.tsx": ["addEventListener", "isWide"],
  "web/views/compose/uploads.ts": ["addEventListener", "isOwnDrag"],
  "web/views/notifications/notify.ts": ["audio"],
};

/** What modules keep, by file. */
export const tabStateOf = (sources: Sources): Record<string, readonly string[]> =>
  Object.fromEntries(
    [...sources].flatMap(([file, text]) => {
      const objects = [...text.matchAll(object)].filter(([, name = ""]) => isAssigned(text, name));
      const names = [...text.matchAll(kept), ...text.matchAll(lasting), ...objects].map(
        ([, first, second]) => first ?? second ?? "",
      );
      return names.length > 0 ? [[file, [...new Set(names)].sort()]] : [];
    }),
  );

/** One line for each thing that outlives sessions and does not belong to the tab, or is listed and not there. */
export function wrongTabState(sources: Sources): string[] {
  const found = tabStateOf(sources);
  return [...new Set([...Object.keys(found), ...Object.keys(ofTab)])].flatMap((file) => {
    const [there, listed] = [found[file] ?? [], ofTab[file] ?? []];
    return [
      ...there.filter((name) => !listed.includes(name)).map((name) => `${file} keeps ${name} when a session has ended`),
      ...listed.filter((name) => !there.includes(name)).map((name) => `${file} does not keep ${name} in the tab`),
    ];
  });
}
