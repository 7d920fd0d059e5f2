import type { Page } from '@playwright/test'

const PROBE_PATH = '/healthz'

/**
 * Routes requests like `page.route`, and returns only when the document that the page shows is
 * routed, too: Chromium tells an open document of a new route a moment later, and a request that it
 * sends before then would reach the server.
 */
export async function routeRequests(
  page: Page,
  ...[url, handler, options]: Parameters<Page['route']>
): Promise<void> {
  await page.route(url, handler, options)
  const probe = `**${PROBE_PATH}`
  await page.route(probe, (route) => route.fulfill({ status: 204 }))
  const readStatus = () => page.evaluate(async (path) => (await fetch(path)).status, PROBE_PATH)
  while ((await readStatus()) !== 204);
  await page.unroute(probe)
}
