import { encode } from "uqr";
import { t } from "../../base/languages/language.ts";

/** What sets up an authenticator app, and what replaces it. */

export const FactorSecret = ({ secret, otpauth_url }: { secret: string; otpauth_url: string }) => (
  <>
    <p>{t("Scan this with your authenticator app, or enter the key there.")}</p>
    <QrCode text={otpauth_url} />
    <code class="key">{secret.replace(/(.{4})(?=.)/g, "$1 ")}</code>
  </>
);

export const RecoveryCodes = ({ codes }: { codes: readonly string[] }) => (
  <div role="status">
    <p>
      {t(
        "Keep these recovery codes in a safe place. Each replaces one code of your app, for example if you lose your phone. They are not shown again.",
      )}
    </p>
    <ul class="recovery-codes">
      {codes.map((code) => (
        <li key={code}>
          <code>{code}</code>
        </li>
      ))}
    </ul>
  </div>
);

/** A QR code, dark on light also where the page is dark, because not every camera reads the reverse. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 4 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  return (
    <svg
      class="qr-code"
      role="img"
      aria-label={t("QR code")}
      viewBox={`0 0 ${size} ${size}`}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="white" />
      <path d={path} fill="black" />
    </svg>
  );
}
