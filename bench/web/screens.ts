import type { Page } from '@playwright/test'
import type { BrowserFixture } from '../../test/browser/support/browser-test.ts'
import { sampleTask, seedTasks } from '../../test/browser/support/seed.ts'
import { median, reportFigure } from '../support/figures.ts'
import {
  measureFrames,
  openThrottledPage,
  type PageTimings,
  TASK_ROW_SELECTOR,
  type ThrottledPage,
} from './throttled-page.ts'

/** A screen other than the list: its path, what it shows when loaded, and the keys to press. */
interface MeasuredScreen {
  name: string
  path: string
  /** A selector that matches once the screen shows its content. */
  ready: string
  keys: readonly string[]
}

const NOTICES = 200
const RUNS = 5
const SETTLE_MS = 1_000
const MIN_REPORTED_MS = 16
const DOWN_AND_UP = [...repeat('j', 12), ...repeat('k', 6), 'x', 'j', 'x', 'Escape']

const SCREENS: readonly MeasuredScreen[] = [
  { name: 'my work', path: '/my', ready: TASK_ROW_SELECTOR, keys: DOWN_AND_UP },
  {
    name: 'inbox',
    path: '/inbox',
    ready: '.inbox .row',
    keys: [...repeat('j', 12), ...repeat('k', 6), 'u', 'j', 'u'],
  },
  {
    name: 'timeline',
    path: '/p/ENG?view=timeline',
    ready: '.plan-span',
    keys: [...repeat('j', 12), ...repeat('k', 6), '-', '+'],
  },
  {
    name: 'calendar',
    path: '/p/ENG?view=calendar',
    ready: '[role="grid"] [data-number]',
    keys: [...repeat('ArrowDown', 4), ...repeat('ArrowRight', 6), ...repeat('ArrowUp', 4)],
  },
  {
    name: 'reports',
    path: '/reports',
    ready: '.report h2',
    keys: [...repeat('Tab', 6), ...repeat('ArrowRight', 8), ...repeat('ArrowLeft', 4)],
  },
]

/** Measures the other screens against the same budget, each by itself, with the same tasks. */
export async function measureScreens(scene: BrowserFixture): Promise<void> {
  await notices(scene)
  for (const screen of SCREENS) {
    const path = `/w/${scene.team.workspace}${screen.path}`
    await load(scene, screen, path)
    await use(scene, screen, path)
  }
}

/** Another person assigns tasks to the owner, to fill the inbox. */
async function notices({ ask, team }: BrowserFixture): Promise<void> {
  const assign = (n: number) => ({ ...sampleTask(n, team), assignee_ids: [team.people.owner.id] })
  const asAdmin: BrowserFixture['ask'] = (_, ...asked) => ask('admin', ...asked)
  await seedTasks({ ask: asAdmin, team }, NOTICES, assign)
}

async function load(
  scene: BrowserFixture,
  { name, ready }: MeasuredScreen,
  path: string,
): Promise<void> {
  const [cold, warm]: [PageTimings[], PageTimings[]] = [[], []]
  for (let run = 0; run < RUNS; run++) {
    const { page, readTimings } = await openThrottledPage(scene, { network: true })
    for (const kept of [cold, warm]) {
      await page.goto(path)
      await page.locator(ready).first().waitFor()
      await page.waitForTimeout(SETTLE_MS)
      kept.push(await readTimings())
    }
    await page.context().close()
  }
  const middle = (seen: PageTimings[], what: 'lcp' | 'cls' | 'blocked') =>
    median(seen.map((one) => one[what]))
  reportFigure(`${name}: largest paint, cold, seconds`, middle(cold, 'lcp') / 1_000, { most: 2 })
  reportFigure(`${name}: largest paint, warm, seconds`, middle(warm, 'lcp') / 1_000, { most: 0.8 })
  reportFigure(`${name}: layout shift`, middle(cold, 'cls'), { most: 0.02 })
  reportFigure(`${name}: blocked by long tasks, ms`, middle(cold, 'blocked'), { most: 200 })
}

async function use(
  scene: BrowserFixture,
  { name, ready, keys }: MeasuredScreen,
  path: string,
): Promise<void> {
  const measured = await openThrottledPage(scene)
  const { page } = measured
  await page.goto(path)
  await page.locator(ready).first().waitFor()
  await page.waitForTimeout(SETTLE_MS)
  const scrolled = await measureFrames(page, () => scroll(measured))
  reportFigure(`${name}: longest frame while scrolling, ms`, scrolled.longest, { most: 34 })
  reportFigure(`${name}: nodes in the document`, await nodesOf(page), { most: 3_000 })
  const before = (await measured.readTimings()).inputs.length
  await page.locator('#work').click({ position: { x: 4, y: 4 } })
  for (const key of keys) await page.keyboard.press(key)
  await page.waitForTimeout(SETTLE_MS)
  const inputs = (await measured.readTimings()).inputs.slice(before)
  // Chromium does not report shorter interactions.
  const all = [...inputs, ...repeat(MIN_REPORTED_MS, Math.max(0, keys.length - inputs.length))]
  const p75 = all.toSorted((a, b) => a - b)[Math.floor(all.length * 0.75)] ?? MIN_REPORTED_MS
  reportFigure(`${name}: from input to picture, 3 of 4 inputs, ms`, p75, { most: 100 })
  await page.context().close()
}

async function scroll({ page }: ThrottledPage): Promise<void> {
  await page.mouse.move(900, 600)
  for (let step = 0; step < 60; step++) await page.mouse.wheel(0, step < 40 ? 300 : -300)
}

const nodesOf = (page: Page) => page.evaluate(() => document.querySelectorAll('*').length)

function repeat<T>(one: T, count: number): T[] {
  return Array.from({ length: count }, () => one)
}
