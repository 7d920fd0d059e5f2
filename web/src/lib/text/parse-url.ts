/** The URL that a text is, or null. `URL.parse` is newer than the oldest supported browsers. */
export const parseUrl = (text: string, base?: string): URL | null =>
  URL.canParse(text, base) ? new URL(text, base) : null
