/** Browsers by what only they say of themselves; those that say to be another come first. */
const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly [RegExp, string][] = [
  [/\b(?:iPhone|iPod)\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** Browser and system as a `User-Agent` tells them; absent where it tells nothing known. */
export function deviceOf(userAgent: string | null): { browser?: string; system?: string } {
  const found = (table: readonly [RegExp, string][]) =>
    table.find(([pattern]) => userAgent !== null && pattern.test(userAgent))?.[1]
  const browser = found(BROWSERS)
  const system = found(SYSTEMS)
  return { ...(browser && { browser }), ...(system && { system }) }
}
