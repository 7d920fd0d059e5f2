import type { BrowserContext, Page } from '@playwright/test'
import type { TestArtifacts } from '../../support/runner/artifacts.ts'

/** A page that hangs is not worth a long wait: the test has failed already. */
const SNAPSHOT_TIMEOUT_MS = 10_000

/**
 * Screenshots and DOM snapshots at every step make each test slower by almost a half, snapshots
 * alone by a sixth, and without them Playwright records no requests. Calls and console cost next to
 * nothing. `TEST_TRACE=1` records everything.
 */
const hasFullTrace = process.env.TEST_TRACE === '1'

/** Starts a trace of the context, for `npx playwright show-trace`. */
export const startPageTracing = (context: BrowserContext): Promise<unknown> =>
  context.tracing.start({ screenshots: hasFullTrace, snapshots: hasFullTrace })

/** Saves screenshots, texts and traces of the pages of a failed test. */
export async function savePageArtifacts(
  artifacts: TestArtifacts,
  contexts: BrowserContext[],
): Promise<void> {
  const pages = contexts.flatMap((context) => context.pages())
  const texts: string[] = []
  for (const [at, page] of pages.entries()) {
    const path = artifacts.path(`page-${at}.png`)
    await page.screenshot({ path, timeout: SNAPSHOT_TIMEOUT_MS }).catch(() => undefined)
    texts.push(`page-${at}: ${page.url()}\n${await textOf(page)}`)
  }
  if (texts.length > 0) artifacts.write('pages.txt', texts.join('\n\n'))
  for (const [at, context] of contexts.entries()) {
    const path = artifacts.path(`trace-${at}.zip`)
    await context.tracing.stop({ path }).catch(() => undefined)
  }
}

/**
 * Discards the traces, also of contexts that are closed. Playwright adds each call to all traces that were not
 * stopped: they grow with every test of the process.
 */
export async function discardPageTraces(contexts: BrowserContext[]): Promise<void> {
  for (const context of contexts) await context.tracing.stop().catch(() => undefined)
}

const textOf = (page: Page): Promise<string> =>
  page
    .locator('body')
    .ariaSnapshot({ timeout: SNAPSHOT_TIMEOUT_MS })
    .catch((error: Error) => `It cannot be read: ${error.message}`)
