type NamedPattern = readonly [RegExp, string]

/**
 * Patterns of browsers in their `User-Agent`. The order matters: Edge and others also claim to be
 * Chrome, so they come first.
 */
const BROWSERS: readonly NamedPattern[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly NamedPattern[] = [
  [/\b(?:iPhone|iPod)\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** The browser and the operating system of a `User-Agent`; absent where it is unknown. */
export function parseUserAgent(userAgent: string | null): { browser?: string; system?: string } {
  const findName = (table: readonly NamedPattern[]) =>
    table.find(([pattern]) => userAgent !== null && pattern.test(userAgent))?.[1]
  const browser = findName(BROWSERS)
  const system = findName(SYSTEMS)
  return { ...(browser && { browser }), ...(system && { system }) }
}
