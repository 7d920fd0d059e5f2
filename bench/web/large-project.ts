import type { BrowserFixture } from '../../test/browser/support/browser-test.ts'
import { seedTasks } from '../../test/browser/support/seed.ts'
import { reportFigure } from '../support/figures.ts'
import {
  measureFrames,
  navigateInApp,
  openThrottledPage,
  TASK_ROW_SELECTOR,
} from './throttled-page.ts'

const TASKS = 100_000
const RUNS = 3

/** Measures whether a project of 100,000 tasks is usable on a machine that is 4 times slower. */
export async function measureLargeProject(scene: BrowserFixture): Promise<void> {
  const path = `/w/${scene.team.workspace}/p/ENG`
  await seedTasks(scene, TASKS)
  const opened: number[] = []
  for (let run = 0; run < RUNS; run++) {
    const { page } = await openThrottledPage(scene)
    await page.goto(path)
    await page.locator(TASK_ROW_SELECTOR).first().waitFor()
    opened.push(await page.evaluate(() => performance.now()))
    await page.context().close()
  }
  reportFigure(
    'first rows of 100,000 tasks, seconds',
    opened.map((ms) => ms / 1_000),
    { most: 1.5 },
  )

  const { page } = await openThrottledPage(scene)
  await page.goto(path)
  await page.locator(TASK_ROW_SELECTOR).first().waitFor()
  const turns: number[] = []
  for (const search of ['?group=priority', '?group=assignee', '?f=priority%3Aurgent'])
    turns.push(await navigateInApp(page, `${path}${search}`))
  reportFigure('filter or group of 100,000 tasks changed, ms', turns, { most: 1_000 })
  await page.mouse.move(700, 500)
  const scrolled = await measureFrames(page, async () => {
    for (let step = 0; step < 60; step++) await page.mouse.wheel(0, 400)
  })
  reportFigure('99 of 100 frames while scrolling them, ms', scrolled.usual, { most: 34 })
  await page.context().close()
}
