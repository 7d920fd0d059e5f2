import type { Page } from '@playwright/test'
import { routeRequests } from '../route-requests.ts'

/** Data that needs a session; `/internal/setup` is read by the sign-in form. */
const DATA = /\/(api\/v1|internal)\/(?!setup)/

/**
 * Holds all reads of a page until the returned function is called. A page reads again at times of
 * its own, and would notice that its session has ended before the test does what should show it.
 */
export async function holdReads(page: Page): Promise<() => void> {
  const gate = Promise.withResolvers<void>()
  await routeRequests(page, DATA, async (route) => {
    if (route.request().method() === 'GET') await gate.promise
    await route.fallback()
  })
  return gate.resolve
}

/** Blocks live updates, so that the page does not hear of the changes of others. */
export const blockLiveUpdates = (page: Page): Promise<unknown> =>
  page.route(/\/internal\/changes/, (route) => route.abort())

/** Holds the code that a page loads after its first rows, until the returned function is called. */
export const holdDeferredCode = (page: Page) => holdCode(page, /deferred-bundle[^/]*\.js/)

/** Holds the code of menus, pickers and dialogs. */
export const holdOverlayCode = (page: Page) => holdCode(page, /overlay-view[^/]*\.js/)

/** Holds the code of the dialog for a new task. */
export const holdComposerCode = (page: Page) => holdCode(page, /composer[^/]*\.js/)

/** Holds the code of the palette and the list of shortcuts. */
export const holdShellDialogs = (page: Page) => holdCode(page, /shell-dialogs[^/]*\.js/)

async function holdCode(page: Page, name: RegExp): Promise<() => void> {
  const gate = Promise.withResolvers<void>()
  await page.route(name, async (route) => {
    await gate.promise
    await route.continue()
  })
  return gate.resolve
}
