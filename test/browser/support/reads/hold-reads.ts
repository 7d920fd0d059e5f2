import type { Page } from '@playwright/test'
import { holdRequests } from '../route-requests.ts'

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
