import type { Page } from '@playwright/test'
import type { BrowserFixture } from '../../test/browser/support/browser-test.ts'
import { reportFigure } from '../support/figures.ts'
import { openThrottledPage, TASK_ROW_SELECTOR } from './throttled-page.ts'

const CHANGES = 20
const STORM_SECONDS = 10
const STORM_RATE = 500

/** Measures how soon another browser shows a change, and how many changes affect its user. */
export async function measureLiveUpdates(scene: BrowserFixture): Promise<void> {
  // In this order rows keep their position when they change.
  const list = `/w/${scene.team.workspace}/p/ENG?group=none&sort=number`
  const [one, other] = [await openThrottledPage(scene), await openThrottledPage(scene)]
  for (const { page, session } of [one, other]) {
    await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
    await page.goto(list)
    await page.locator(TASK_ROW_SELECTOR).first().waitFor()
    await page.waitForTimeout(1_000)
  }
  const delays: number[] = []
  for (let change = 0; change < CHANGES; change++) {
    const number = await numberOf(one.page, change)
    const pressed = one.page.waitForTimeout(300).then(() => one.page.evaluate(press, number))
    const [seen, from] = await Promise.all([other.page.evaluate(changedAt, number), pressed])
    delays.push(seen - from)
  }
  reportFigure('a change in one browser until seen in another, ms', delays, { most: 1_000 })
  await one.page.context().close()

  let refetches = 0
  other.page.on('request', () => {
    refetches += 1
  })
  await other.session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  const over = storm(scene)
  for (let at = 0; at < STORM_SECONDS * 4; at++) {
    await other.page.keyboard.press(at % 8 < 4 ? 'j' : 'k')
    await other.page.waitForTimeout(250)
  }
  const made = await over
  const { inputs } = await other.readTimings()
  console.log(`  (${made} changes in ${STORM_SECONDS} seconds)`)
  reportFigure('slowest input while others change a lot, ms', Math.max(0, ...inputs), { most: 200 })
  reportFigure('requests a second while they do', refetches / STORM_SECONDS, { most: 4 })
  await other.page.context().close()
}

const numberOf = (page: Page, at: number) =>
  page
    .locator(TASK_ROW_SELECTOR)
    .nth(at % 8)
    .getAttribute('data-number')
    .then(Number)

/** Runs in the observing page; returns when the status of a row changes. */
async function changedAt(number: number): Promise<number> {
  const mark = () => document.querySelector<HTMLElement>(`[data-number="${number}"]`)?.dataset.s
  const [before, from] = [mark(), Date.now()]
  while (mark() === before && Date.now() < from + 10_000) await new Promise(requestAnimationFrame)
  return Date.now()
}

/** Runs in the changing page: completes or reopens a task. */
function press(number: number): number {
  const from = Date.now()
  document.querySelector<HTMLElement>(`[data-number="${number}"] [data-field="done"]`)?.click()
  return from
}

/** Changes tasks of the list by bulk requests to the API; returns the number of changes. */
async function storm({ ask, team }: BrowserFixture): Promise<number> {
  const path = `/api/v1/projects/${team.project}/tasks?limit=100`
  const { data } = await ask<{ data: { id: string }[] }>('admin', `GET ${path}`)
  let made = 0
  for (let tick = 0; tick < STORM_SECONDS * 10; tick++) {
    const due = new Promise((resolve) => setTimeout(resolve, 100))
    const operations = data.slice(0, STORM_RATE / 10).map(({ id }) => {
      return { op: 'update', id, data: { title: `Changed again, ${tick}` } }
    })
    // An overloaded server rejects requests; the returned number counts only successful changes.
    const done = await ask('admin', 'POST /api/v1/tasks/bulk', { operations }).catch(
      () => undefined,
    )
    if (done) made += operations.length
    await due
  }
  return made
}
