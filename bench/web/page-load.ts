import type { Page } from '@playwright/test'
import type { BrowserFixture } from '../../test/browser/support/browser-test.ts'
import { median, reportFigure } from '../support/figures.ts'
import { openThrottledPage, type PageTimings, TASK_ROW_SELECTOR } from './throttled-page.ts'

const RUNS = 5
const SETTLE_MS = 1_000

/** Measures how long a list of 10,000 tasks takes to load, by its URL and from within the app. */
export async function measurePageLoad(scene: BrowserFixture): Promise<void> {
  const { team } = scene
  const list = `/w/${team.workspace}/p/ENG`
  const [cold, warm, opened]: [PageTimings[], PageTimings[], number[]] = [[], [], []]
  let loaded: ResourceSizes = {}
  for (let run = 0; run < RUNS; run++) {
    const { page, readTimings } = await openThrottledPage(scene, { network: true })
    for (const kept of [cold, warm]) {
      await page.goto(list)
      await page.locator(TASK_ROW_SELECTOR).first().waitFor()
      // Measured before the app preloads more while idle.
      if (kept === cold) loaded = await sizesOf(page)
      await page.waitForTimeout(SETTLE_MS)
      kept.push(await readTimings())
    }
    await page.goto(`/w/${team.workspace}/my`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForTimeout(SETTLE_MS)
    opened.push(await measureOpening(page))
    await page.context().close()
  }
  const middle = (seen: PageTimings[], what: 'lcp' | 'cls' | 'blocked') =>
    median(seen.map((one) => one[what]))
  const kB = (type: string) => (loaded[type] ?? 0) / 1_000
  reportFigure('10,000 tasks, kB', kB('tasks'), { most: 500 })
  reportFigure('largest paint, cold, seconds', middle(cold, 'lcp') / 1_000, { most: 2 })
  reportFigure('largest paint, warm, seconds', middle(warm, 'lcp') / 1_000, { most: 0.8 })
  reportFigure('layout shift', middle(cold, 'cls'), { most: 0.02 })
  reportFigure('blocked by long tasks, ms', middle(cold, 'blocked'), { most: 200 })
  reportFigure('from my work to the first rows of 10,000, seconds', median(opened) / 1_000, {
    most: 1,
  })
}

type ResourceSizes = Record<string, number>

/** The compressed bytes that were loaded, by the last word of the path. */
const sizesOf = (page: Page): Promise<ResourceSizes> =>
  page.evaluate(() => {
    const sizes: ResourceSizes = {}
    for (const entry of performance.getEntriesByType('resource')) {
      const { name, encodedBodySize } = entry as PerformanceResourceTiming
      const [type = ''] = new URL(name).pathname.match(/\w+$/) ?? []
      sizes[type] = (sizes[type] ?? 0) + encodedBodySize
    }
    return sizes
  })

/** The milliseconds from a click on the project until its rows are painted. */
const measureOpening = (page: Page): Promise<number> =>
  page.evaluate(async (row) => {
    const link = document.querySelector<HTMLElement>('nav a[href$="/p/ENG"]')
    const from = performance.now()
    link?.click()
    while (!document.querySelector(row)) await new Promise(requestAnimationFrame)
    await new Promise(requestAnimationFrame)
    return performance.now() - from
  }, TASK_ROW_SELECTOR)
