import { rememberCredentials } from "../session/credentials.ts";

/** Progressive enhancement of the account pages, which work without scripts. */

/** After a login, opens the web client. Replaces the page in the history, because it contains the API key. */
function openWebClient(element: HTMLElement): void {
  const { email, key } = element.dataset;
  if (!email || !key) return;
  rememberCredentials({ email, apiKey: key });
  location.replace("/");
}

/** As on the server (`shared/core/users/password-strength.ts`): how much of a password is estimated, and the required guesses. */
const maxEstimatedCharacters = 100;
const minGuesses = 10_000;

type Estimate = typeof import("zxcvbn");

/** Shows the strength of a password while it is typed. */
function watchStrength(input: HTMLInputElement): void {
  const verdict = document.getElementById("strength");
  if (!verdict) return;
  /** Words that an attacker would try, such as the user's name. */
  const personalWords: string[] = JSON.parse(input.dataset.about ?? "[]");
  const meter = document.createElement("meter");
  // The scores of zxcvbn.
  Object.assign(meter, { min: 0, max: 4, low: 2, high: 3, optimum: 4, value: 0, hidden: true });
  meter.setAttribute("aria-hidden", "true");
  verdict.before(meter);
  let loading: Promise<Estimate> | undefined;
  input.addEventListener("input", async () => {
    loading ??= import("zxcvbn").then((module) => module.default as unknown as Estimate);
    const estimate = await loading;
    const name = input.form?.elements.namedItem("full_name");
    const guessableWords = name instanceof HTMLInputElement ? [...personalWords, name.value] : personalWords;
    const { score, guesses, feedback } = estimate(input.value.slice(0, maxEstimatedCharacters), guessableWords);
    meter.hidden = input.value === "";
    // A refused password must not look strong, nor an accepted one weak.
    meter.value = guesses < minGuesses ? Math.min(score, 1) : Math.max(score, 2);
    verdict.textContent =
      input.value === ""
        ? ""
        : guesses < minGuesses
          ? ["Too easy to guess.", feedback.warning, ...feedback.suggestions].filter((each) => each !== "").join(" ")
          : "Hard enough to guess.";
  });
}

/** Lets a button copy the value of the field that it names, where the browser allows it. */
function enableCopying(button: HTMLButtonElement): void {
  const field = document.querySelector<HTMLInputElement>(`[name="${button.dataset.copies}"]`);
  if (!field || !navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(field.value);
    button.textContent = "Copied";
  });
}

const keyElement = document.querySelector<HTMLElement>("[data-key]");
if (keyElement) openWebClient(keyElement);
for (const input of document.querySelectorAll<HTMLInputElement>("input[data-about]")) watchStrength(input);
for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copies]")) enableCopying(button);
