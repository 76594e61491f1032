import { t } from "../../base/languages/language.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { forgetCredentials, rememberedCredentials } from "../../session/credentials.ts";
import { endSession, signingOut } from "../../session/lifetime.ts";
import { credentials, sessionSignal } from "../../session/session.ts";
import { isUnsaved, saveDrafts } from "../../session/unsent/draft-sync.ts";
import { storedEdits } from "../../session/unsent/edits.ts";
import { storedWidgets } from "../../session/unsent/kept-texts.ts";
import { type AccountKey, forgetAccount, isForgotten, lastAccount } from "../../session/unsent/storage.ts";
import { forgetUnsent, storedMessages, account as unsentAccount } from "../../session/unsent/unsent-messages.ts";
import { unsubscribeFromPush } from "../notifications/push.ts";

/** Signing out removes what was written in this browser, and asks first if that is nowhere else. */

/** The texts that would be lost, and what to do after signing out. */
const question = sessionSignal<{ lost: readonly string[]; finish: () => void } | undefined>(undefined);

const saveTimeoutMs = 3000;
const unsubscribeTimeoutMs = 2000;
const signOutTimeoutMs = 3000;

/** Signs out, unless texts would be lost: then asks first. Reloads the page, whose memory contains what was read and written. */
export async function signOut(finish = () => location.reload()): Promise<void> {
  // Does not wait for a server that does not reply.
  await atMost(saveDrafts(), saveTimeoutMs);
  const lost = lostTexts();
  if (lost.length > 0) question.value = { lost, finish };
  else await signOutNow(finish);
}

/** What is neither sent nor saved as a draft on the server. */
function lostTexts(): string[] {
  const account = lastAccount();
  if (account === undefined) return [];
  const messages = storedMessages(account).filter(
    (message) => message.text.trim() !== "" && (message.sending !== undefined || isUnsaved(message)),
  );
  const texts = [...messages, ...storedEdits(account).values()].map(({ text }) => text.trim());
  return [...texts, ...storedWidgets(account)];
}

/** Waits for work, which may fail, for at most a time. */
const atMost = (work: Promise<unknown>, ms: number) =>
  Promise.race([work.catch(() => {}), new Promise((resolve) => setTimeout(resolve, ms))]);

async function signOutNow(finish: () => void): Promise<void> {
  signingOut.value = true;
  forgetHere(lastAccount());
  forgetCredentials();
  await atMost(unsubscribeFromPush(), unsubscribeTimeoutMs);
  await endHere({ isLast: true }, finish);
}

/** Removes what this browser keeps of an account. Other windows of the browser then sign out, too. */
function forgetHere(account: AccountKey | undefined): void {
  forgetUnsent();
  if (account !== undefined) forgetAccount(account);
  location.hash = "";
}

async function endHere(options: { isLast: boolean }, finish: () => void): Promise<void> {
  await atMost(endSession(options), signOutTimeoutMs);
  signingOut.value = false;
  finish();
}

/**
 * Signs this window out when the user signs out in another one, which has asked about the texts of all windows. Returns a function
 * that stops this.
 */
export function followSignOuts(finish: () => void): () => void {
  const listening = new AbortController();
  const check = () => {
    if (signingOut.value || !isForgotten()) return;
    signingOut.value = true;
    question.value = undefined;
    // What this window has written since. If somebody else has signed in, nobody was asked: then the texts stay.
    forgetHere(lastAccount() === undefined ? unsentAccount.peek() : undefined);
    if (rememberedCredentials()?.apiKey === credentials()?.apiKey) forgetCredentials();
    void endHere({ isLast: false }, finish);
  };
  const options = { signal: listening.signal };
  addEventListener("storage", check, options);
  // A window that was suspended may have missed it.
  addEventListener("pageshow", check, options);
  document.addEventListener("visibilitychange", check, options);
  return () => listening.abort();
}

const maxShownLength = 200;

export function SignOutQuestion() {
  if (!question.value) return null;
  const { lost, finish } = question.value;
  return (
    <Confirm
      title={t("Sign out and discard what you wrote?")}
      text={
        <>
          {t(
            "{count, plural, one {This text was not sent, and the server does not have it as a draft.} other {These texts were not sent, and the server does not have them as drafts.}} Signing out removes everything from this browser.",
            { count: lost.length },
          )}
          {lost.map((text) => (
            <span class="lost-text" key={text}>
              {text.length > maxShownLength ? `${text.slice(0, maxShownLength)} …` : text}
            </span>
          ))}
        </>
      }
      label={t("Sign out and discard")}
      onClose={() => {
        question.value = undefined;
      }}
      onYes={() => void signOutNow(finish)}
    />
  );
}
