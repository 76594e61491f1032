import { rememberCredentials } from "../credentials.ts";

/** Progressive enhancement of the account pages, which work without scripts. */

/** After a login signs in to the web client, and replaces the history entry, since this page has the API key. */
function enter(element: HTMLElement): void {
  const { email, key } = element.dataset;
  if (!email || !key) return;
  rememberCredentials({ email, apiKey: key });
  location.replace("/");
}

/** The server's password rules: the minimum length, and the minimum number of guesses. */
const estimated = 100;
const minGuesses = 10_000;

type Estimate = typeof import("zxcvbn");

/** Shows the strength of a password while it is typed. */
function watchStrength(input: HTMLInputElement): void {
  const words = document.getElementById("strength");
  if (!words) return;
  const about: string[] = JSON.parse(input.dataset.about ?? "[]");
  const meter = document.createElement("meter");
  Object.assign(meter, { min: 0, max: 4, low: 2, high: 3, optimum: 4, value: 0, hidden: true });
  meter.setAttribute("aria-hidden", "true");
  words.before(meter);
  let loading: Promise<Estimate> | undefined;
  input.addEventListener("input", async () => {
    loading ??= import("zxcvbn").then((module) => module.default as unknown as Estimate);
    const estimate = await loading;
    const name = input.form?.elements.namedItem("full_name");
    const known = name instanceof HTMLInputElement ? [...about, name.value] : about;
    const { score, guesses, feedback } = estimate(input.value.slice(0, estimated), known);
    meter.hidden = input.value === "";
    meter.value = guesses < minGuesses ? Math.min(score, 1) : Math.max(score, 2);
    words.textContent =
      input.value === ""
        ? ""
        : guesses < minGuesses
          ? ["Too easy to guess.", feedback.warning, ...feedback.suggestions].filter((each) => each !== "").join(" ")
          : "Hard enough to guess.";
  });
}

const entered = document.querySelector<HTMLElement>("[data-key]");
if (entered) enter(entered);
for (const input of document.querySelectorAll<HTMLInputElement>("input[data-about]")) watchStrength(input);
