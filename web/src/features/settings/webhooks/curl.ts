/** What a delivery sent, as far as a command needs it. */
export interface Request {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
}

/** A command for a POSIX shell that sends the same bytes to the same address. */
export const curlOf = ({ url, headers, body }: Request): string =>
  [
    `curl ${quoted(url)}`,
    ...Object.entries(headers)
      .filter(([name]) => !OWN.has(name.toLowerCase()))
      .map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-binary ${quoted(body)}`,
  ].join(' \\\n  ')

/** Headers that curl sets by itself. */
const OWN = new Set(['host', 'content-length', 'connection'])

/** Within single quotes nothing is special but the quote itself. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
