import { isMailEnabled } from "../../base/environment.ts";
import type { RawReply } from "../../services/http/raw-reply.ts";
import type { Realm } from "../../services/organization/access.ts";
import { showWays, wayLink } from "./pages.ts";

/** The page after a device was signed out by the link in a mail: whoever used it may know the password. */
export const showSignedOut = ({ settings }: Realm): Promise<RawReply> =>
  showWays(
    "The device is signed out",
    "If you did not sign in on it yourself, somebody else knows how to sign in as you: change your password now, here or where you sign in, and create a new API key in your settings.",
    settings.password_auth_enabled && isMailEnabled() ? [wayLink("/password-reset", "Choose a new password")] : [],
  );
