import type { ReadonlySignal } from "@preact/signals";
import { t } from "../base/languages/language.ts";
import { Dialog } from "../parts/parts.tsx";
import { formats } from "../views/compose/formatting.ts";
import type { Shortcut } from "./shortcuts.ts";

const keyName: Record<string, string> = { ArrowDown: "↓", ArrowUp: "↑", Escape: "Esc" };

/** The list of keys. `shortcuts` are those that act on the page; the others belong to what has the focus. */
export function ShortcutHelp({
  shortcuts,
  onClose,
}: {
  shortcuts: ReadonlySignal<readonly Shortcut[]>;
  onClose: () => void;
}) {
  return (
    <Dialog title={t("Keyboard shortcuts")} onClose={onClose} wide>
      <table class="keys">
        <tbody>
          {shortcuts.value.map(({ keys, description }) => (
            <tr key={description}>
              <th scope="row">
                {keys.map((key) => (
                  <kbd key={key}>{keyName[key] ?? key}</kbd>
                ))}
              </th>
              <td>{description}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">
              <kbd>{t("Ctrl")}</kbd>
              <kbd>K</kbd>
            </th>
            <td>{t("Go to a channel, topic, person or command")}</td>
          </tr>
          <tr>
            <th scope="row">
              <kbd>{t("Ctrl")}</kbd>
              <kbd>{t("Enter")}</kbd>
            </th>
            <td>{t("Send, or save an edit")}</td>
          </tr>
          {formats().map(
            ({ label, shortcut }) =>
              shortcut && (
                <tr key={label}>
                  <th scope="row">
                    {[t("Ctrl"), ...shortcut.split("+")].map((key) => (
                      <kbd key={key}>{key.length === 1 ? key.toUpperCase() : key}</kbd>
                    ))}
                  </th>
                  <td>{t("{label}, while writing", { label })}</td>
                </tr>
              ),
          )}
          <tr>
            <th scope="row">
              <kbd>↑</kbd>
            </th>
            <td>{t("In an empty box: edit your last message")}</td>
          </tr>
          <tr>
            <th scope="row">
              <kbd>{t("Ctrl")}</kbd>
              <kbd>Z</kbd>
            </th>
            <td>{t("Undo the last action while its notice shows")}</td>
          </tr>
        </tbody>
      </table>
    </Dialog>
  );
}
