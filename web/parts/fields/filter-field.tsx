/** A field whose text filters the list below it. */
export const FilterField = ({
  label,
  value,
  onChange,
  placeholder = label,
  class: looks = "grow",
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder?: string | undefined;
  class?: string;
}) => (
  <label class={looks}>
    <span class="unseen">{label}</span>
    <input
      type="search"
      placeholder={placeholder}
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  </label>
);
