import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { seedTasks } from '../support/seed.ts'

const TASKS = 200
const rowOf = (page: Page, number: number) => page.locator(`.list [data-number="${number}"]`)

/** Whether the rows are in order in the DOM. */
const isInOrder = async (page: Page) => {
  const numbers = await page
    .locator('.list .block [data-number]')
    .evaluateAll((rows) => rows.map(({ dataset }) => Number(dataset.number)))
  return numbers.length > 0 && numbers.every((number, at) => number > (numbers[at - 1] ?? 0))
}

/** Opens a list of many tasks, a third of which are in progress, and marks the elements of its rows. */
async function openMarkedRows(fixture: BrowserFixture) {
  const tasks = await seedTasks(fixture, TASKS, (n) => ({
    title: `Task ${n + 1}.`,
    status: n % 3 === 0 ? 'in_progress' : 'todo',
  }))
  const page = await fixture.as('member')
  await page.goto(`/w/${fixture.team.workspace}/p/ENG?group=none`)
  await expect(rowOf(page, 3).getByText('Task 3.')).toBeVisible()
  await expect(page.getByText('Live')).toBeVisible()
  // Rows beyond the viewport are rendered a moment later.
  await expect(rowOf(page, 20)).toBeAttached()
  await page.evaluate(() => {
    for (const row of document.querySelectorAll('.list [data-number]'))
      Object.assign(row, { docketMark: true })
  })
  await page.locator('.list').hover()
  return { page, tasks }
}

const countMarked = (page: Page) =>
  page.evaluate(
    () =>
      [...document.querySelectorAll('.list [data-number]')].filter((row) => 'docketMark' in row)
        .length,
  )

/** Scrolls down or up by less than a page each time, as a wheel does. */
async function scrollBy(page: Page, rows: number): Promise<void> {
  for (let step = 0; step < Math.abs(rows); step += 10) {
    await page.mouse.wheel(0, Math.sign(rows) * 340)
    await page.evaluate(() => new Promise(requestAnimationFrame))
  }
}

browserTest('while a list scrolls, its elements take other rows', async (fixture) => {
  const { page } = await openMarkedRows(fixture)
  const before = await countMarked(page)
  await scrollBy(page, 60)
  await expect(rowOf(page, 70).getByText('Task 70.')).toBeVisible()
  await expect(rowOf(page, 3)).toBeHidden()
  assert.ok((await countMarked(page)) > before / 2, 'control: elements are used again')
  // A row shows its own task alone.
  await expect(rowOf(page, 70)).toHaveAttribute('data-s', 'in_progress')
  await expect(rowOf(page, 70).getByRole('link', { name: 'ENG-70' })).toHaveAttribute(
    'href',
    /ENG-70/,
  )
  await expect(rowOf(page, 70).getByRole('button')).toHaveAccessibleName(/ENG-70/)
  // It did not change: another task took its element.
  await expect(page.locator('.list [data-fresh], .list [data-live]')).toHaveCount(0)
  await rowOf(page, 70).hover()
  await rowOf(page, 70).getByRole('checkbox').click()
  await expect(page.getByText('1 selected')).toBeVisible()
  await expect(rowOf(page, 70)).toHaveAttribute('aria-selected', 'true')
})

browserTest('the element of a task that is gone shows no other task', async (fixture) => {
  const { page, tasks } = await openMarkedRows(fixture)
  const row = await rowOf(page, 3).elementHandle()
  const before = await page.locator('.list [data-number]').count()
  await fixture.ask('owner', `DELETE /api/v1/tasks/${tasks[2]?.id}`)
  await expect(rowOf(page, 3)).toHaveCount(0)
  await expect(page.locator('.list [data-number]')).toHaveCount(before)
  assert.equal(await row?.evaluate((element) => element.isConnected), false)
})

browserTest('a list that rests has its rows in order, for screen readers too', async (fixture) => {
  const { page, tasks } = await openMarkedRows(fixture)
  await scrollBy(page, 60)
  await expect.poll(() => isInOrder(page)).toBe(true)

  // The row with the focus does not move: a screen reader would read it again.
  await rowOf(page, 70).focus()
  await rowOf(page, 70).evaluate((row) => {
    row.addEventListener('blur', () => Object.assign(globalThis, { docketHasBlurred: true }))
  })
  await scrollBy(page, -20)
  await expect.poll(() => isInOrder(page)).toBe(true)
  await expect(rowOf(page, 70)).toBeFocused()
  assert.equal(await page.evaluate(() => 'docketHasBlurred' in globalThis), false)

  // The focus stays if the order of the tasks changes.
  await fixture.ask('owner', `DELETE /api/v1/tasks/${tasks[1]?.id}`)
  await expect(page.getByText('tasks, 199 open')).toBeVisible()
  await expect(rowOf(page, 70)).toBeFocused()

  await rowOf(page, 70).blur()
  await scrollBy(page, 10)
  await expect.poll(() => isInOrder(page)).toBe(true)
})
