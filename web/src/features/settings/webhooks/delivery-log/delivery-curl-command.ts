/** The request of a delivery, as far as the command needs it. */
export interface DeliveryRequest {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
}

/** A command for a POSIX shell that sends the same bytes to the same URL. */
export const toDeliveryCurlCommand = ({ url, headers, body }: DeliveryRequest): string =>
  [
    `curl ${singleQuoted(url)}`,
    ...Object.entries(headers)
      .filter(([name]) => !CURL_HEADERS.has(name.toLowerCase()))
      .map(([name, value]) => `-H ${singleQuoted(`${name}: ${value}`)}`),
    `--data-binary ${singleQuoted(body)}`,
  ].join(' \\\n  ')

/** Headers that curl sets by itself. */
const CURL_HEADERS = new Set(['host', 'content-length', 'connection'])

/** Quotes a text for a POSIX shell: within single quotes only the quote itself is special. */
const singleQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
