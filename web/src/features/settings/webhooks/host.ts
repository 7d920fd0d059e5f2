/** An address without its scheme, as people name it: "hooks.example.com/docket". */
export function hostOf(url: string): string {
  const parsed = URL.parse(url)
  return parsed ? `${parsed.host}${parsed.pathname === '/' ? '' : parsed.pathname}` : url
}
