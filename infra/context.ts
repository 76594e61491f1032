/** The context values on a command line: each `-c key=value` or `--context key=value`. */
export function contextIn(args: readonly string[]): Record<string, string> {
  const pairs = args.flatMap((arg, index) => {
    const [, inline] = /^(?:-c|--context)=(.*)$/s.exec(arg) ?? [];
    const pair = inline ?? (arg === "-c" || arg === "--context" ? args[index + 1] : undefined);
    return pair === undefined ? [] : [pair];
  });
  return Object.fromEntries(
    pairs.map((pair) => {
      const [key = "", ...value] = pair.split("=");
      return [key, value.join("=")];
    }),
  );
}
