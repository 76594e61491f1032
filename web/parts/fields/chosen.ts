import { useEffect, useState } from "preact/hooks";

/**
 * What a control shows, and how to choose another value: what was chosen is shown at once, until an event changes the
 * value that is known or the server refuses the choice. Without it, a control that is drawn again before the event
 * comes would show the former value, and using it would choose the opposite of what the user meant.
 * `save` gets what was chosen and what was shown before, and resolves with whether the server accepted the choice.
 */
export function useChosen<T>(known: T, save: (value: T, before: T) => Promise<boolean>): [T, (value: T) => void] {
  const [chosen, setChosen] = useState<{ value: T } | undefined>(undefined);
  useEffect(() => setChosen(undefined), [JSON.stringify(known)]);
  const shown = chosen ? chosen.value : known;
  const choose = (value: T) => {
    const choice = { value };
    setChosen(choice);
    void save(value, shown).then((succeeded) => {
      if (!succeeded) setChosen((latest) => (latest === choice ? undefined : latest));
    });
  };
  return [shown, choose];
}
