import type { ApiError } from "../../base/errors.ts";
import { Html, html, page, pageType } from "../../services/http/page.ts";
import type { RawReply } from "../../services/http/raw-reply.ts";

/** The pages for sign-up and password reset: forms that work without JavaScript. */

/** The declaration that all page endpoints share. */
export const pageSpec = {
  prefix: "",
  caller: "anyone",
  returns: "raw",
  raw: { types: [pageType] },
  renderError: showError,
} as const;

/** A page has no field for the error's code, so an attribute contains it: several errors have the same status. */
function showError({ status, code, message }: ApiError): Promise<RawReply> {
  const text = status === 500 ? "Something went wrong here. Please try again." : message;
  return page(
    status,
    "Error",
    html`<h1>Error</h1><p role="alert" data-code="${code}">${text}</p><p><a href="/">Back to sign-in</a></p>`,
  );
}

export const showTextPage = (title: string, ...paragraphs: string[]): Promise<RawReply> =>
  page(
    200,
    title,
    html`<h1>${title}</h1>${paragraphs.map((text) => html`<p>${text}</p>`)}<p><a href="/">Back to sign-in</a></p>`,
  );

/**
 * The page after sign-up or a password reset: a script logs the user in to the web client; without JavaScript, it shows a link
 * to continue.
 */
export const showSignedIn = (title: string, { email, apiKey }: { email: string; apiKey: string }): Promise<RawReply> =>
  page(
    200,
    title,
    html`<h1>${title}</h1><p data-email="${email}" data-key="${apiKey}">Your address is ${email}.</p><p><a href="/">Continue</a></p>`,
  );

/** A form page, with the problem of the last submission if there was one. */
export interface Form {
  title: string;
  introduction?: string | undefined;
  problem?: string | undefined;
  fields: readonly Html[];
  button: string;
  /** Links to other ways of doing the same. */
  ways?: readonly Html[];
}

/** The form is submitted to the page's own URL. */
export const showForm = ({ title, introduction, problem, fields, button, ways }: Form): Promise<RawReply> =>
  page(
    problem === undefined ? 200 : 400,
    title,
    html`<h1>${title}</h1>${introduction === undefined ? undefined : html`<p>${introduction}</p>`}${
      problem === undefined ? undefined : html`<p class="problem" role="alert">${problem}</p>`
    }<form method="post">${fields}<button type="submit" class="primary">${button}</button></form>${ways}`,
  );

/** A page without a form, which offers links. */
export const showWays = (title: string, introduction: string, ways: readonly Html[]): Promise<RawReply> =>
  page(200, title, html`<h1>${title}</h1><p>${introduction}</p>${ways}`);

/** A link that looks like a button. */
export const wayLink = (path: string, text: string): Html => html`<a class="button" href="${path}">${text}</a>`;

export const emailField = (value = ""): Html =>
  html`<label>Email<input type="email" name="email" autocomplete="username" maxlength="254" required value="${value}"></label>`;

/** A read-only field with the email address, which password managers recognize. */
export const shownEmail = (email: string): Html =>
  html`<label>Email<input type="email" autocomplete="username" readonly value="${email}"></label>`;

export const nameField = (value = ""): Html =>
  html`<label>Your name, as others see it<input name="full_name" autocomplete="name" maxlength="100" required value="${value}"></label>`;

/** `about` has names and addresses on which a strong password must not be based; a script rates the password. */
export const passwordField = (about: readonly string[]): Html =>
  html`<div><label for="password">Choose a password</label><input id="password" type="password" name="password" autocomplete="new-password" minlength="6" maxlength="100" required aria-describedby="strength" data-about="${JSON.stringify(about)}"><p id="strength" class="quiet small" role="status"></p></div>`;

export const endKeysField = (checked = false): Html =>
  html`<label class="check"><input type="checkbox" name="end_keys" value="true"${checked ? " checked" : ""}>Sign out of all other devices</label>`;

/** A checkbox; several may share a name. */
export const checkboxField = (name: string, value: string, checked: boolean, description: string): Html =>
  html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${new Html(checked ? " checked" : "")}>${value}${
    description === "" ? undefined : html` <span class="quiet small">${description}</span>`
  }</label>`;
