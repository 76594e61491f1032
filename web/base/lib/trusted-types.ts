/** The page's only Trusted Types policy. Browsers that enforce Trusted Types accept HTML and script URLs from it alone. */

interface Policy {
  createHTML(html: string): string;
  createScriptURL(url: string): string;
}
declare const trustedTypes: { createPolicy(name: string, rules: Policy): Policy } | undefined;

/** The path of the service worker. Its folder, the root, is the scope: the worker handles requests for all pages. */
export const workerPath = "/service-worker.js";

const rules: Policy = {
  createHTML: (html) => html,
  createScriptURL: (url) => {
    if (url !== workerPath) throw new TypeError(`${url} is no script of this page`);
    return url;
  },
};

export const policy: Policy = typeof trustedTypes === "undefined" ? rules : trustedTypes.createPolicy("skein", rules);
