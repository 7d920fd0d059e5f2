import type { BrowserFixture } from '../../test/browser/support/browser-test.ts'
import { reportFigure } from '../support/figures.ts'
import {
  measureFrames,
  measureHeapSize,
  navigateInApp,
  openThrottledPage,
  TASK_ROW_SELECTOR,
  type ThrottledPage,
} from './throttled-page.ts'

const KEYS = [
  ...Array.from({ length: 20 }, () => 'j'),
  ...Array.from({ length: 10 }, () => 'k'),
  'x',
  'j',
  'x',
  'j',
  'x',
  'Escape',
  'Enter',
  'Escape',
  'j',
  'Enter',
  'Escape',
  'c',
  ...'Look at the invoice',
  'Enter',
  'Escape',
  '/',
  ...'invoice',
  'Escape',
]
/** Chromium does not report interactions shorter than this. */
const MIN_REPORTED_MS = 16
const NAVIGATIONS = 1_000

/** Measures work in a list of 10,000 tasks on a machine that is 4 times slower. */
export async function measureInteraction(scene: BrowserFixture): Promise<void> {
  const list = `/w/${scene.team.workspace}/p/ENG`
  const measured = await openThrottledPage(scene)
  const { page } = measured
  await page.goto(list)
  await page.locator(TASK_ROW_SELECTOR).first().waitFor()

  const groups = ['?group=priority', '?group=assignee', '?f=priority%3Aurgent', '?group=status']
  const turns: number[] = []
  for (const search of groups) turns.push(await navigateInApp(page, `${list}${search}`))
  reportFigure('filter or group changed, the network apart, ms', turns, { most: 150 })

  const idle = await measureFrames(page, () => page.waitForTimeout(1_000))
  console.log(`  (longest frame while nothing happens: ${idle.longest.toFixed(0)} ms)`)
  const scrolled = await measureFrames(page, () => scroll(measured))
  reportFigure('99 of 100 frames while scrolling, ms', scrolled.usual, { most: 34 })
  reportFigure('longest frame while scrolling, ms', scrolled.longest, { most: 34 })
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
  reportFigure('nodes in the document', nodes, { most: 3_000 })
  const drag = await prepareDrag(measured)
  const dragged = await measureFrames(page, drag)
  reportFigure('99 of 100 frames while dragging, ms', dragged.usual, { most: 34 })
  reportFigure('longest frame while dragging, ms', dragged.longest, { most: 34 })

  await page.goto(list)
  await page.locator(TASK_ROW_SELECTOR).first().click()
  await page.keyboard.press('Escape')
  for (const key of KEYS) await page.keyboard.press(key === ' ' ? 'Space' : key)
  await page.waitForTimeout(500)
  const { inputs } = await measured.readTimings()
  const all = [
    ...inputs,
    ...Array.from({ length: KEYS.length - inputs.length }, () => MIN_REPORTED_MS),
  ]
  const p75 = all.toSorted((a, b) => a - b)[Math.floor(all.length * 0.75)] ?? 0
  reportFigure('from input to picture, 3 of 4 inputs, ms', p75, { most: 100 })
  await page.context().close()
}

/** Measures My work when all of its tasks, some thousands, are loaded and selected. */
export async function measureLongList(scene: BrowserFixture): Promise<void> {
  const { page } = await openThrottledPage(scene)
  await page.goto(`/w/${scene.team.workspace}/my`)
  await page.locator(TASK_ROW_SELECTOR).first().waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  const all = page.getByRole('button', { name: /^Select all .* in this view$/ })
  const selected = await measureFrames(page, async () => {
    await all.click()
    await all.waitFor({ state: 'hidden' })
  })
  reportFigure('longest frame while all of My work are selected, ms', selected.longest, {
    most: 200,
  })
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
  reportFigure('nodes in the document then', nodes, { most: 3_000 })
  const scrolled = await measureFrames(page, () => scroll({ page }))
  reportFigure('99 of 100 frames while My work scrolls, ms', scrolled.usual, { most: 34 })
  reportFigure('longest frame while My work scrolls, ms', scrolled.longest, { most: 34 })
  await page.context().close()
}

async function scroll({ page }: Pick<ThrottledPage, 'page'>): Promise<void> {
  await page.mouse.move(700, 500)
  for (let step = 0; step < 120; step++) await page.mouse.wheel(0, step < 60 ? 400 : 6_000)
}

/**
 * Drags a task by its number to the bottom of the list, which then scrolls. Where it begins is asked for
 * before frames are measured: Playwright's code for that takes 20 ms to compile in the page.
 */
async function prepareDrag({ page }: ThrottledPage): Promise<() => Promise<void>> {
  await page.locator('.scroll').evaluate((list) => list.scrollTo(0, 0))
  // The rows at the top have taken elements when the list rests.
  await page.waitForTimeout(1_000)
  const number = page.locator(TASK_ROW_SELECTOR).nth(3).locator('.no')
  const [from, list] = [await number.boundingBox(), await page.locator('.scroll').boundingBox()]
  if (!from || !list) throw new Error('There is no row to drag')
  const [x, y] = [from.x + 5, from.y + from.height / 2]
  const distance = list.y + list.height - 10 - y
  return async () => {
    await page.mouse.move(x, y)
    await page.mouse.down()
    for (let step = 1; step <= 60; step++) await page.mouse.move(x, y + (distance * step) / 60)
    await page.waitForTimeout(1_000)
    const isHeld = await page.evaluate(() => document.querySelector('[data-held]') !== null)
    await page.keyboard.press('Escape')
    await page.mouse.up()
    if (!isHeld) throw new Error('The row was not dragged')
  }
}

/** Measures whether the heap grows with the number of navigations. */
export async function measureHeapGrowth(scene: BrowserFixture): Promise<void> {
  const list = `/w/${scene.team.workspace}/p/ENG`
  const measured = await openThrottledPage(scene)
  const { page, session } = measured
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  await page.goto(list)
  await page.locator(TASK_ROW_SELECTOR).first().waitFor()
  const walk = async (count: number) => {
    await page.evaluate(navigate, [list, count] as const)
    return measureHeapSize(measured)
  }
  const half = await walk(NAVIGATIONS / 2)
  const whole = await walk(NAVIGATIONS / 2)
  reportFigure('heap after 1,000 navigations, MB', whole / 1e6, { most: 120 })
  reportFigure('heap then, to that after the first 500', whole / half, { most: 1.1 })
  await page.context().close()
}

/** Runs in the page: opens and closes tasks beside the list and in the board. */
async function navigate([list, count]: readonly [string, number]): Promise<void> {
  for (let at = 0; at < count; at++) {
    const task = `ENG-${1 + ((at * 37) % 10_000)}`
    const places = [`${list}?task=${task}`, list, `${list}?view=board`, `${list}?group=priority`]
    history.pushState({}, '', places[at % places.length] ?? list)
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
  history.pushState({}, '', list)
  await new Promise((resolve) => setTimeout(resolve, 2_000))
}
