import type { Page, Route } from '@playwright/test'

const PROBE_PATH = '/healthz'
/** Matches no request. */
const NOTHING = /^nothing:/

const pagesWithInterception = new WeakSet<Page>()

/**
 * Begins to intercept the requests of a page. A page that a service worker controls needs it before it is
 * opened: on a busy machine Chromium may never tell an open one of a new route.
 */
export async function startInterception(page: Page): Promise<void> {
  if (pagesWithInterception.has(page)) return
  pagesWithInterception.add(page)
  await page.route(NOTHING, (route) => route.fallback())
}

/**
 * Routes requests like `page.route`, and returns only when the document that the page shows is
 * routed, too: Chromium tells an open document of a new route a moment later, and a request that it
 * sends before then would reach the server.
 *
 * The page keeps a route that matches nothing. Without any route Playwright switches interception off,
 * and a request that is sent in that moment is never answered (on a busy machine, one in 300).
 * `page.unrouteAll` would remove it as well; use `page.unroute`.
 */
export async function routeRequests(
  page: Page,
  ...[url, handler, options]: Parameters<Page['route']>
): Promise<void> {
  await startInterception(page)
  await page.route(url, handler, options)
  // A page that is not opened yet shows no document.
  if (page.url() === 'about:blank') return
  const probe = `**${PROBE_PATH}`
  await page.route(probe, (route) => route.fulfill({ status: 204 }))
  // Without a network, a request that is not routed yet fails.
  const readStatus = () =>
    page.evaluate(
      (path) =>
        fetch(path).then(
          ({ status }) => status,
          () => 0,
        ),
      PROBE_PATH,
    )
  while ((await readStatus()) !== 204);
  await page.unroute(probe)
}

/** Holds the requests of a page, or those of a method, until the returned function is called. */
export async function holdRequests(
  page: Page,
  url: string | RegExp,
  method?: string,
): Promise<() => void> {
  const gate = Promise.withResolvers<void>()
  await routeRequests(page, url, async (route) => {
    if (method === undefined || route.request().method() === method) await gate.promise
    await route.fallback()
  })
  return gate.resolve
}

/**
 * The server carries out each POST to an address at once, but its reply arrives only when the returned
 * function is called. `file` is the body of an upload, which a route does not get.
 */
export async function holdReplies(page: Page, url: string, file?: Buffer): Promise<() => void> {
  const gate = Promise.withResolvers<void>()
  await routeRequests(page, url, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    const response = await route.fetch(file && { postData: file })
    await gate.promise
    // The page that has sent it may be gone.
    await route.fulfill({ response }).catch(() => undefined)
  })
  return gate.resolve
}

/** The server carries out the next write to an address, but its reply never arrives. */
export async function loseNextReply(
  page: Page,
  address: string | RegExp,
  method: 'POST' | 'PATCH' = 'POST',
): Promise<void> {
  let isLost = false
  await routeRequests(page, address, async (route) => {
    if (isLost || route.request().method() !== method) return route.fallback()
    isLost = true
    await route.fetch()
    await route.abort('connectionreset')
  })
}

/** Answers a request as the API refuses one; the app does not repeat it by itself. */
export const refuseRequest = (route: Route): Promise<void> => {
  const error = { code: 'forbidden', message: 'Not now.', details: [], request_id: 'req_1' }
  return route.fulfill({ status: 403, json: { error } })
}

/** Data that needs a session; `/internal/setup` is read by the sign-in form. */
const DATA = /\/(api\/v1|internal)\/(?!setup)/

/**
 * Holds all reads of a page until the returned function is called. A page reads again at times of
 * its own, and would notice that its session has ended before the test does what should show it.
 */
export const holdReads = (page: Page) => holdRequests(page, DATA, 'GET')

/** Blocks live updates, so that the page does not hear of the changes of others. */
export const blockLiveUpdates = (page: Page): Promise<unknown> =>
  page.route(/\/internal\/changes/, (route) => route.abort())

/** Holds the code of menus, pickers and dialogs. */
export const holdOverlayCode = (page: Page) => holdRequests(page, /overlay-view[^/]*\.js/)

/** Holds the code of the dialog for a new task. */
export const holdComposerCode = (page: Page) => holdRequests(page, /composer[^/]*\.js/)
