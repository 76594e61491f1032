/** The page's one Trusted Types policy: HTML and the addresses of scripts come from here alone, where browsers enforce that. */

interface Policy {
  createHTML(html: string): string;
  createScriptURL(url: string): string;
}
declare const trustedTypes: { createPolicy(name: string, rules: Policy): Policy } | undefined;

/** Where the service worker is; its folder is its scope. */
export const workerPath = "/service-worker.js";

const rules: Policy = {
  createHTML: (html) => html,
  createScriptURL: (url) => {
    if (url !== workerPath) throw new TypeError(`${url} is no script of this page`);
    return url;
  },
};

export const policy: Policy = typeof trustedTypes === "undefined" ? rules : trustedTypes.createPolicy("skein", rules);
