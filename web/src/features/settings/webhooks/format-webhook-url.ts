/** A URL without its scheme: "hooks.example.com/docket". */
export function formatWebhookUrl(url: string): string {
  const parsed = URL.parse(url)
  return parsed ? `${parsed.host}${parsed.pathname === '/' ? '' : parsed.pathname}` : url
}
