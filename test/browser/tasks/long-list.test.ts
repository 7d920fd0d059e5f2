import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { press } from '../support/page-actions.ts'
import { dateFromToday, seedTasks } from '../support/seed.ts'

const rowsOf = (page: Page) => page.locator('#work .scroll [data-task]')
const scrollTo = (page: Page, top: number) =>
  page.locator('#work .scroll').evaluate((list, to) => list.scrollTo(0, to), top)
const readHeight = (page: Page) =>
  page.locator('#work .scroll').evaluate(({ scrollHeight }) => scrollHeight)

/**
 * The places in the only group of the list, from top to bottom, of the rows that the next frame shows. Before it,
 * rows that were scrolled to may be missing.
 */
const readVisiblePlaces = (page: Page) =>
  page.locator('#work .scroll').evaluate(async (list) => {
    await new Promise(requestAnimationFrame)
    const { top, bottom } = list.getBoundingClientRect()
    return [...list.querySelectorAll('[data-task]')]
      .map((row) => ({ box: row.getBoundingClientRect(), place: Number(row.ariaRowIndex) - 2 }))
      .filter(({ box }) => box.bottom > top + 1 && box.top < bottom - 1)
      .sort((a, b) => a.box.top - b.box.top)
      .map(({ place }) => place)
  })

browserTest('renders only visible rows, and keeps the scroll height exact', async (fixture) => {
  const tasks = await seedTasks(fixture, 1_200, (n) => ({
    title: `Task ${n + 1}.`,
    status: 'todo',
  }))
  const page = await fixture.openAs('member', 'p/ENG')
  const grid = page.getByRole('treegrid')
  const rowOf = (number: number) => grid.locator(`[data-number="${number}"]`)
  await expect(grid).toHaveAttribute('aria-rowcount', '1202')
  await expect(page.getByText('Live')).toBeVisible()
  await page.locator('.scroll').evaluate((scroll) => scroll.scrollTo(0, scroll.scrollHeight))
  await expect(page.getByText('Task 1200.', { exact: true })).toBeVisible()
  await expect(rowOf(1_200)).toHaveAttribute('aria-rowindex', '1202')
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
  assert.ok(nodes < 3_000, `${nodes} nodes`)

  // A list that rests has its rows in order, for screen readers; the focus stays with its task.
  await rowOf(1_190).focus()
  await grid.hover()
  for (let step = 0; step < 3; step += 1) {
    await page.mouse.wheel(0, -340)
    await page.evaluate(() => new Promise(requestAnimationFrame))
  }
  const isInOrder = async () => {
    const numbers = await grid
      .locator('[data-number]')
      .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('data-number'))))
    return numbers.every((number, at) => number > (numbers[at - 1] ?? 0))
  }
  await expect.poll(isInOrder).toBe(true)
  await fixture.ask('owner', `DELETE /api/v1/tasks/${tasks[1]?.id}`)
  await expect(page.getByText('tasks, 1,199 open')).toBeVisible()
  await expect(rowOf(1_190)).toBeFocused()
  // A row shows its own task alone, and no mark of a change.
  await expect(rowOf(1_160).getByRole('link', { name: 'ENG-1160' })).toHaveAttribute(
    'href',
    /ENG-1160/,
  )
  await expect(rowOf(1_160).getByRole('button')).toHaveAccessibleName(/ENG-1160/)
  await expect(page.locator('.list [data-fresh], .list [data-live]')).toHaveCount(0)
})

/** Opens My work with tasks in two of its groups: the first ones are overdue, the others due later. */
async function openTwoGroups(
  fixture: BrowserFixture,
  count: number,
  overdue: number,
): Promise<Page> {
  const { openAs, team } = fixture
  await seedTasks(fixture, count, (n) => ({
    title: `Errand ${n + 1}`,
    assignee_ids: [team.people.member.id],
    due_date: dateFromToday(n < overdue ? -1 : 30),
  }))
  return openAs('member', 'my?sort=number')
}

browserTest('My work renders only rows near the viewport, and keys reach all', async (fixture) => {
  const page = await openTwoGroups(fixture, 300, 150)
  await expect(rowsOf(page).first()).toContainText('Errand 1')
  await press(page, 'j', 'x')
  await page.getByRole('button', { name: 'Select all 300 in this view' }).click()
  await expect(page.getByText('300 selected')).toBeVisible()
  // With nine headers, and that of the columns.
  await expect(page.getByRole('treegrid')).toHaveAttribute('aria-rowcount', '310')
  assert.ok((await rowsOf(page).count()) < 100)

  const row = (n: number) => page.locator(`[data-number="${n}"]`)
  await row(1).focus()
  // The row with the focus stays, wherever the list is scrolled to, and the next one follows it.
  await scrollTo(page, await readHeight(page))
  await expect(page.getByText('Errand 300', { exact: true })).toBeInViewport()
  assert.ok((await rowsOf(page).count()) < 100)
  await expect(row(1)).toBeFocused()
  await page.keyboard.press('j')
  await expect(row(2)).toBeFocused()
  await expect(row(2)).toBeInViewport()
  // From a row that is out of sight to the next group.
  await scrollTo(page, (await readHeight(page)) / 2 - 400)
  await row(150).focus()
  await scrollTo(page, 0)
  await page.keyboard.press('j')
  await expect(row(151)).toBeFocused()
  await expect(row(151)).toBeInViewport()
})

browserTest('rows of a search leave no gap, and Back finds the same rows', async (fixture) => {
  const { openAs } = fixture
  await seedTasks(fixture, 100, (n) => ({
    title: `Errand ${n + 1}${n % 3 === 0 ? ' that is long' : ''}`,
    ...(n % 3 > 0 && { description: 'It is long.' }),
  }))
  const page = await openAs('member', 'all?f=long', { viewport: { width: 360, height: 740 } })
  await expect(page.getByRole('treegrid')).toHaveAttribute('aria-rowcount', '102')
  // Each step shows the end of the rows before it, so a row that it leaves out is a gap.
  let last = 0
  for (let top = 0; last < 100; top += 300) {
    await scrollTo(page, top)
    const places = await readVisiblePlaces(page)
    const first = Math.min(places[0] ?? 0, last + 1)
    last = Math.max(places.at(-1) ?? 0, last)
    const message = `${top} px of ${await readHeight(page)}`
    const without = Array.from({ length: last + 1 - first }, (_, n) => first + n)
    assert.deepEqual(places, without, message)
    assert.ok(top < 100 * 300, message)
  }
  const [firstPlace = 0] = await readVisiblePlaces(page)
  await rowsOf(page).last().locator('.title').click()
  // Drawn, and not only in the address: then the place of the list is known.
  const panel = page.getByRole('complementary', { name: /^Task / })
  await expect(panel.getByRole('heading').first()).toBeVisible()
  await page.getByRole('link', { name: 'Inbox' }).first().click()
  await expect(page).toHaveURL(/inbox/)
  await page.goBack()
  await expect.poll(async () => (await readVisiblePlaces(page))[0]).toBe(firstPlace)
  const places = await readVisiblePlaces(page)
  assert.deepEqual(
    places,
    places.map((_, n) => firstPlace + n),
  )
})
