import type { BrowserContext, Page } from '@playwright/test'
import type { Artifacts } from '../../support/artifacts.ts'

/** A page that hangs is not waited for long: the test has failed already. */
const LOOK_TIMEOUT_MS = 10_000

/**
 * Pictures and the document at every step make each test slower by almost a half, the document alone by a sixth; the
 * calls, the console and the network cost next to nothing. Who looks for a fault asks for all: `TEST_TRACE=1`.
 */
const isFull = process.env.TEST_TRACE === '1'

/** Records what is done in a context, for `npx playwright show-trace`. */
export const record = (context: BrowserContext): Promise<unknown> =>
  context.tracing.start({ screenshots: isFull, snapshots: isFull })

/** Keeps of a failing test what its pages show and what was done in them. */
export async function keepPages(artifacts: Artifacts, contexts: BrowserContext[]): Promise<void> {
  const pages = contexts.flatMap((context) => context.pages())
  const texts: string[] = []
  for (const [at, page] of pages.entries()) {
    const path = artifacts.path(`page-${at}.png`)
    await page.screenshot({ path, timeout: LOOK_TIMEOUT_MS }).catch(() => undefined)
    texts.push(`page-${at}: ${page.url()}\n${await textOf(page)}`)
  }
  if (texts.length > 0) artifacts.write('pages.txt', texts.join('\n\n'))
  for (const [at, context] of contexts.entries()) {
    const path = artifacts.path(`trace-${at}.zip`)
    await context.tracing.stop({ path }).catch(() => undefined)
  }
}

const textOf = (page: Page): Promise<string> =>
  page
    .locator('body')
    .ariaSnapshot({ timeout: LOOK_TIMEOUT_MS })
    .catch((error: Error) => `It cannot be read: ${error.message}`)
