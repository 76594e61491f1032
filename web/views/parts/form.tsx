import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { isInvalidKeyError } from "../../api/client.ts";

/** Forms: what is common to those that save their fields by a call. */

/** A form with its fields, what the server objected to when they were saved, and its buttons. */
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
  const run = async () => {
    setProblem("");
    try {
      await save();
    } catch (error) {
      if (!isInvalidKeyError(error)) setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <form
      class="form"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      {heading && <h2>{heading}</h2>}
      {children}
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="dialog-actions">
        {onCancel && (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
        <button type="submit" class="primary" disabled={disabled}>
          {submit}
        </button>
      </div>
    </form>
  );
}

interface TextProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Of a field of several lines. */
  rows?: number;
  type?: "text" | "url" | "password";
  required?: boolean | undefined;
  disabled?: boolean;
  maxLength?: number;
  minLength?: number;
  pattern?: string;
  title?: string;
  placeholder?: string;
  autocomplete?: "current-password" | "new-password";
}

export function TextField({ label, onChange, rows, ...attributes }: TextProps) {
  const onInput = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value);
  if (rows === undefined)
    return (
      <label>
        {label}
        <input {...(attributes as object)} onInput={onInput} />
      </label>
    );
  return (
    <label>
      {label}
      <textarea rows={rows} {...(attributes as object)} onInput={onInput} />
    </label>
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

/** Buttons that move the item at an index of an ordered list; `onMove` gets the new order. */
export function MoveButtons<T>({
  name,
  at,
  items,
  onMove,
}: {
  name: string;
  at: number;
  items: readonly T[];
  onMove: (order: T[]) => Promise<unknown>;
}) {
  const move = (to: number) => {
    const order = [...items];
    order.splice(to, 0, ...order.splice(at, 1));
    void onMove(order);
  };
  return (
    <>
      <button type="button" aria-label={`Move up ${name}`} disabled={at === 0} onClick={() => move(at - 1)}>
        Move up
      </button>
      <button
        type="button"
        aria-label={`Move down ${name}`}
        disabled={at === items.length - 1}
        onClick={() => move(at + 1)}
      >
        Move down
      </button>
    </>
  );
}
