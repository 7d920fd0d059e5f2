import type { Page } from '@playwright/test'
import type { Scene } from '../test/browser/support/browse.ts'
import { median, tell } from './figures.ts'
import { ROW, type Seen, slowPage } from './web-page.ts'

const RUNS = 5
const SETTLED_MS = 1_000

/** How long the list of 10,000 tasks takes to be there: by its address, and from within the app. */
export async function measureLoad(scene: Scene): Promise<void> {
  const { team } = scene
  const list = `/w/${team.workspace}/p/ENG`
  const [cold, warm, opened]: [Seen[], Seen[], number[]] = [[], [], []]
  let loaded: Sizes = {}
  for (let run = 0; run < RUNS; run++) {
    const { page, seen } = await slowPage(scene, { network: true })
    for (const kept of [cold, warm]) {
      await page.goto(list)
      await page.locator(ROW).first().waitFor()
      // Before what is loaded ahead while nothing else happens.
      if (kept === cold) loaded = await sizesOf(page)
      await page.waitForTimeout(SETTLED_MS)
      kept.push(await seen())
    }
    await page.goto(`/w/${team.workspace}/my`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForTimeout(SETTLED_MS)
    opened.push(await opening(page))
    await page.context().close()
  }
  const middle = (seen: Seen[], what: 'lcp' | 'cls' | 'blocked') =>
    median(seen.map((one) => one[what]))
  const kB = (type: string) => (loaded[type] ?? 0) / 1_000
  tell('JavaScript of the first load of a list, kB', kB('js'), { most: 170 })
  tell('styles of it, kB', kB('css'), { most: 22 })
  tell('fonts of it, kB', kB('woff2'), { most: 75 })
  tell('largest paint, cold, seconds', middle(cold, 'lcp') / 1_000, { most: 2 })
  tell('largest paint, warm, seconds', middle(warm, 'lcp') / 1_000, { most: 0.8 })
  tell('layout shift', middle(cold, 'cls'), { most: 0.02 })
  tell('blocked by long tasks, ms', middle(cold, 'blocked'), { most: 200 })
  tell('from my work to the first rows of 10,000, seconds', median(opened) / 1_000, { most: 1 })
}

type Sizes = Record<string, number>

/** Bytes that came, by the ending of their names; compressed as they travelled. */
const sizesOf = (page: Page): Promise<Sizes> =>
  page.evaluate(() => {
    const sizes: Sizes = {}
    for (const entry of performance.getEntriesByType('resource')) {
      const { name, encodedBodySize } = entry as PerformanceResourceTiming
      const [type = ''] = name.match(/\w+$/) ?? []
      sizes[type] = (sizes[type] ?? 0) + encodedBodySize
    }
    return sizes
  })

/** Milliseconds from the press on the project until its rows are painted. */
const opening = (page: Page): Promise<number> =>
  page.evaluate(async (row) => {
    const link = document.querySelector<HTMLElement>('nav a[href$="/p/ENG"]')
    const from = performance.now()
    link?.click()
    while (!document.querySelector(row)) await new Promise(requestAnimationFrame)
    await new Promise(requestAnimationFrame)
    return performance.now() - from
  }, ROW)
