import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { detectContent } from "../../shared/services/blobs/content-types.ts";
import { scaleDown } from "../../shared/services/pictures/scaling.ts";
import { aPng } from "../support/files/pictures.ts";
import { localTest } from "../support/world.ts";

/** The maximum size of a preview, and of the pictures that are decoded. */
const previewLimits = { width: 840, height: 560, maxPixels: 40_000_000 };

localTest("a deployed function has a process to itself")(
  "other requests are served while a large picture is scaled down",
  async () => {
    const large = aPng(6000, 4000);
    let timerTicks = 0;
    let done = false;
    const tick = () => {
      timerTicks++;
      if (!done) setTimeout(tick, 1);
    };

    tick();
    const scaled = await scaleDown(large, previewLimits);
    done = true;

    expect(detectContent(scaled!.still, "")).toEqual({ contentType: "image/webp", width: 840, height: 560 });
    // If the preview were created in this thread, the event loop would be blocked until it is done. On busy cores there are
    // few ticks.
    expect(timerTicks).toBeGreaterThan(5);
  },
);

localTest("Lambda ends a deployed function's process")(
  "a process that has scaled pictures exits on its own",
  async () => {
    const scaling = resolve(import.meta.dirname, "../../shared/services/pictures/scaling.ts");
    const pictures = resolve(import.meta.dirname, "../support/files/pictures.ts");
    const program = `
    const { scaleDown } = await import(${JSON.stringify(scaling)});
    const { aPng } = await import(${JSON.stringify(pictures)});
    const [one, other] = await Promise.all([scaleDown(aPng(90, 60), ${JSON.stringify(previewLimits)}), scaleDown(Buffer.from("none"), ${JSON.stringify(previewLimits)})]);
    console.log(one.still.length > 0, other);`;

    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
      timeout: 30_000,
    });

    expect(stdout).toBe("true undefined\n");
  },
);
