import { readdirSync, readFileSync } from "node:fs";

/** The peak memory in MB of each process of a function of an emulated fleet, including idle ones. `endpoint` is the emulator's URL. */
export function memoryOfFunction(endpoint: string | undefined, functionName: string): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
        const variable = (name: string) =>
          variables.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
        const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
        const isIts =
          variable("AWS_ENDPOINT_URL") === endpoint && variable("AWS_LAMBDA_FUNCTION_NAME") === functionName;
        if (!isIts || kilobytes === undefined) return [];
        return [Number(kilobytes) / 1024];
      } catch {
        // The process has ended in the meantime.
        return [];
      }
    });
}
