import { parseUrl } from '../../../lib/text/parse-url.ts'

/** A URL without its scheme: "hooks.example.com/docket". */
export function formatWebhookUrl(url: string): string {
  const parsed = parseUrl(url)
  return parsed ? `${parsed.host}${parsed.pathname === '/' ? '' : parsed.pathname}` : url
}
