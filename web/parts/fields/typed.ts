import { useEffect, useRef, useState } from "preact/hooks";

type Texts = Readonly<Record<string, string>>;

/**
 * The texts of fields that are saved together, by name. A field shows what was typed until that is saved, or else the saved text.
 * When somebody changes that elsewhere, no field loses what was typed in it.
 */
export function useTyped<Saved extends Texts>(saved: Saved) {
  const [typed, setTyped] = useState<Texts>({});
  /** What the latest request saves: the server may store it in another form. */
  const sent = useRef<Texts>({});
  useEffect(() => {
    setTyped((latest) =>
      Object.fromEntries(
        Object.entries(latest).filter(([name, text]) => text.trim() !== saved[name] && text !== sent.current[name]),
      ),
    );
  }, [JSON.stringify(saved)]);
  return {
    texts: { ...saved, ...typed },
    type: (name: string, text: string) =>
      setTyped(({ [name]: _, ...others }) => (text === saved[name] ? others : { ...others, [name]: text })),
    /** What is to be saved. */
    changed: Object.fromEntries(
      Object.entries(typed)
        .map(([name, text]) => [name, text.trim()] as const)
        .filter(([name, text]) => text !== (saved[name] ?? "")),
    ),
    /** Runs the request that saves it. */
    saving: async (request: () => Promise<unknown>) => {
      sent.current = typed;
      try {
        return await request();
      } catch (error) {
        sent.current = {};
        throw error;
      }
    },
  };
}
