import type { ComponentChildren } from "preact";
import { useCallback, useRef, useState } from "preact/hooks";
import { isInvalidKeyError } from "../../base/api/client.ts";
import { t } from "../../base/languages/language.ts";
import { Limit, TooLongContext } from "./limit.tsx";

/** Parts of forms that are saved by a call to the server. */

/** Runs what a click asks for, unless what an earlier click asked for has not ended: two clicks do one thing. */
export function useOneAtATime(): (task: () => Promise<unknown>) => Promise<void> {
  const isRunning = useRef(false);
  return async (task) => {
    if (isRunning.current) return;
    isRunning.current = true;
    try {
      await task();
    } finally {
      isRunning.current = false;
    }
  };
}

/** What a field has after its value was saved: `empty`, unless the user has changed it since. */
export const unlessChanged =
  <T,>(saved: T, empty: T) =>
  (latest: T): T =>
    latest === saved ? empty : latest;

/** A form with its fields, the error message if saving fails, and its buttons. */
export function Form({
  heading,
  label,
  submit,
  disabled = false,
  save,
  onCancel,
  children,
}: {
  heading?: string;
  /** The form's accessible name, if it has no heading. */
  label?: string;
  /** The text of the button that saves. */
  submit: string;
  /** Whether there is nothing to save yet. */
  disabled?: boolean;
  /** Throws if it fails. */
  save: () => Promise<unknown>;
  onCancel?: (() => void) | undefined;
  children: ComponentChildren;
}) {
  const [problem, setProblem] = useState("");
  const [isSaving, setSaving] = useState(false);
  const [tooLongCount, setTooLongCount] = useState(0);
  const noteTooLong = useCallback((change: 1 | -1) => setTooLongCount((count) => count + change), []);
  const oneAtATime = useOneAtATime();
  const trySave = async () => {
    setProblem("");
    setSaving(true);
    try {
      await save();
    } catch (error) {
      if (!isInvalidKeyError(error)) setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setSaving(false);
    }
  };
  return (
    <form
      class="form"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        void oneAtATime(trySave);
      }}
    >
      {heading && <h2>{heading}</h2>}
      <TooLongContext.Provider value={noteTooLong}>{children}</TooLongContext.Provider>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <FormButtons submit={submit} disabled={disabled || tooLongCount > 0} isSaving={isSaving} onCancel={onCancel} />
    </form>
  );
}

/** The buttons at the end of a form. */
export const FormButtons = ({
  submit,
  disabled = false,
  isSaving = false,
  onCancel,
}: {
  /** The text of the button that submits the form. */
  submit: string;
  disabled?: boolean;
  /** Whether what was submitted is being saved: the button then does nothing, and keeps the focus. */
  isSaving?: boolean;
  onCancel?: (() => void) | undefined;
}) => (
  <div class="dialog-actions">
    {onCancel && (
      <button type="button" onClick={onCancel}>
        {t("Cancel")}
      </button>
    )}
    <button type="submit" class="primary" disabled={disabled} aria-disabled={isSaving}>
      {submit}
    </button>
  </div>
);

interface TextProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** The height of a field of several lines; without it, the field has one line. */
  rows?: number;
  type?: "text" | "url" | "password";
  required?: boolean | undefined;
  disabled?: boolean;
  /** The maximum number of code points. */
  max?: number;
  minLength?: number;
  pattern?: string;
  title?: string;
  placeholder?: string;
  autocomplete?: "current-password" | "new-password" | "one-time-code";
}

export function TextField({ label, onChange, rows, max, ...attributes }: TextProps) {
  const onInput = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value);
  if (rows === undefined)
    return (
      <>
        <label>
          {label}
          <input {...(attributes as object)} onInput={onInput} />
        </label>
        <Limit text={attributes.value} max={max} />
      </>
    );
  return (
    <>
      <label>
        {label}
        <textarea rows={rows} {...(attributes as object)} onInput={onInput} />
      </label>
      <Limit text={attributes.value} max={max} />
    </>
  );
}

export const CheckBox = ({
  label,
  checked,
  onChange,
}: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) => (
  <label class="check">
    <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
    {label}
  </label>
);

/** A choice between values, which may be of any kind that JSON has. */
export function SelectField<T>({
  label,
  value,
  options,
  onChange,
  hint,
  disabled,
}: {
  label: ComponentChildren;
  value: T;
  options: readonly { value: NoInfer<T>; label: string }[];
  onChange: (value: T) => void;
  hint?: string;
  disabled?: boolean;
}) {
  const isOffered = options.some((option) => JSON.stringify(option.value) === JSON.stringify(value));
  return (
    <label>
      <span>{label}</span>
      <select
        disabled={disabled === true}
        value={JSON.stringify(value)}
        onChange={(event) => onChange(JSON.parse(event.currentTarget.value))}
      >
        {!isOffered && (
          <option value={JSON.stringify(value)}>{t("{value} (current)", { value: String(value) })}</option>
        )}
        {options.map((option) => (
          <option key={option.label} value={JSON.stringify(option.value)}>
            {option.label}
          </option>
        ))}
      </select>
      {hint && <span class="quiet small">{hint}</span>}
    </label>
  );
}

/** Buttons that move the item at `index` of an ordered list up or down; `onMove` gets the new order. */
export function MoveButtons<T>({
  name,
  index,
  items,
  onMove,
}: {
  name: string;
  index: number;
  items: readonly T[];
  onMove: (order: T[]) => Promise<unknown>;
}) {
  const move = (newIndex: number) => {
    const order = [...items];
    order.splice(newIndex, 0, ...order.splice(index, 1));
    void onMove(order);
  };
  return (
    <>
      <button
        type="button"
        aria-label={t("Move up {name}", { name })}
        disabled={index === 0}
        onClick={() => move(index - 1)}
      >
        {t("Move up")}
      </button>
      <button
        type="button"
        aria-label={t("Move down {name}", { name })}
        disabled={index === items.length - 1}
        onClick={() => move(index + 1)}
      >
        {t("Move down")}
      </button>
    </>
  );
}
