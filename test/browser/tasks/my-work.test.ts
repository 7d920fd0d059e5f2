import assert from 'node:assert/strict'
import type { Locator, Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { holdUndo, openScreen, pressUndo, typeInFocusedField } from '../support/page-actions.ts'
import { dateFromToday, seedTasks } from '../support/seed.ts'

const DAYS = [-2, 0, 3, 30, undefined]

/** Tasks 1 to 5 of the member, one for each kind of group; task 6 is the owner's. */
const seedErrands = (fixture: BrowserFixture) =>
  seedTasks(fixture, 6, (n, { people }) => {
    const day = DAYS[n]
    return {
      title: `Errand ${n + 1}`,
      assignee_ids: [n === 5 ? people.owner.id : people.member.id],
      ...(day !== undefined && { due_date: dateFromToday(day) }),
      ...(n === 1 && { estimate_seconds: 7_200 }),
    }
  })

/** The group of a day, or of what is around the days: `overdue`, `later`, `none`. */
const group = (page: Page, key: string) =>
  page.getByRole('rowgroup').filter({ has: page.locator(`[data-group="${key}"]`) })
const day = (page: Page, fromToday: number) => group(page, dateFromToday(fromToday))
const rowOf = (page: Page, title: string) =>
  page.locator('[data-task]').filter({ has: page.getByText(title, { exact: true }) })
const viewLink = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'View' }).getByRole('link', { name, exact: true })

async function openMyWork({ openAs }: BrowserFixture): Promise<Page> {
  const page = await openAs('member', 'my')
  await expect(group(page, 'overdue')).toContainText('Errand 1')
  return page
}

interface PlannedTask {
  title: string
  status_category: string
  due_date: string | null
  due_at: string | null
  assignee_ids: string[]
  subtask_count: number
}
const readTask = ({ ask }: BrowserFixture, id: string | undefined) =>
  ask<PlannedTask>('owner', `GET /api/v1/tasks/${id}`)

browserTest('groups tasks by day, and completes them by keyboard', async (fixture) => {
  const [first] = await seedErrands(fixture)
  const page = await openMyWork(fixture)
  for (const [key, title] of [
    ['overdue', 'Errand 1'],
    [dateFromToday(0), 'Errand 2'],
    [dateFromToday(3), 'Errand 3'],
    ['later', 'Errand 4'],
    ['none', 'Errand 5'],
  ] as const)
    await expect(group(page, key)).toContainText(title)
  // Each of seven days is there, also without tasks.
  await expect(page.getByRole('rowgroup')).toHaveCount(10)
  await expect(page.getByText('Errand 6')).toHaveCount(0)
  await assertAccessible(page)

  await rowOf(page, 'Errand 1').focus()
  await page.keyboard.press('ControlOrMeta+Enter')
  await holdUndo(page)
  await expect(rowOf(page, 'Errand 1')).toHaveCount(0)
  const category = async () => (await readTask(fixture, first?.id)).status_category
  await expect.poll(category).toBe('completed')
  await pressUndo(page)
  await expect(group(page, 'overdue')).toContainText('Errand 1')
  await expect.poll(category).toBe('unstarted')
})

browserTest('the views of My work have addresses, and are read on a phone', async (fixture) => {
  const { ask, openAs, team } = fixture
  const [first, second, third] = await seedErrands(fixture)
  await ask('owner', `PATCH /api/v1/tasks/${first?.id}`, { blocked_by_ids: [second?.id] })
  await ask('owner', `POST /api/v1/tasks/${third?.id}/complete`)
  await ask('member', 'POST /api/v1/tasks', { project_id: team.project, title: 'Idea' })
  const page = await openAs('member', 'my', {
    viewport: { width: 360, height: 740 },
    hasTouch: true,
  })
  for (const [name, address, title] of [
    ['Created by me', /view=created$/, 'Idea'],
    ['Blocked', /view=blocked$/, 'Errand 1'],
    ['Done', /view=done$/, 'Errand 3'],
  ] as const) {
    await viewLink(page, name).click()
    await expect(page).toHaveURL(address)
    await expect(page.locator('.views [aria-current]')).toHaveText([name])
    await expect(page.locator('[data-task]')).toHaveCount(1)
    await expect(rowOf(page, title)).toBeVisible()
  }
  await viewLink(page, 'Week').click()
  await expect(page).toHaveURL(/my$/)
  await expect(group(page, 'overdue')).toContainText('Errand 1')
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360)
  await assertAccessible(page)
})

/** Drags a row by its number into the place of another one. */
async function dragTo(page: Page, row: Locator, target: Locator): Promise<void> {
  const [from, to] = [await row.locator('.no').boundingBox(), await target.boundingBox()]
  assert.ok(from && to)
  await page.mouse.move(from.x + 4, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(to.x + 60, to.y + to.height / 2, { steps: 6 })
  await page.mouse.up()
}

browserTest('plans a week by one button, by drag and by keyboard', async (fixture) => {
  const tasks = await seedErrands(fixture)
  const dueOf = async (index: number) => (await readTask(fixture, tasks[index]?.id)).due_date
  const page = await openMyWork(fixture)
  await expect(day(page, 0)).toContainText('2h left of 6h')

  await page.getByRole('button', { name: 'Move all to today' }).click()
  await holdUndo(page)
  await expect(day(page, 0)).toContainText('Errand 1')
  await expect(group(page, 'overdue')).toHaveCount(0)
  await expect.poll(() => dueOf(0)).toBe(dateFromToday(0))
  await pressUndo(page)
  await expect(group(page, 'overdue')).toContainText('Errand 1')
  await expect.poll(() => dueOf(0)).toBe(dateFromToday(-2))

  await dragTo(page, rowOf(page, 'Errand 4'), rowOf(page, 'Errand 2'))
  await expect(day(page, 0)).toContainText('Errand 4')
  await expect.poll(() => dueOf(3)).toBe(dateFromToday(0))
  // A day without tasks takes them at its header.
  await dragTo(page, rowOf(page, 'Errand 5'), day(page, 1).locator('[data-group]'))
  await expect(day(page, 1)).toContainText('Errand 5')
  await expect.poll(() => dueOf(4)).toBe(dateFromToday(1))

  // A task that is moved to another day keeps its time.
  const at = Temporal.PlainDate.from(dateFromToday(1)).toZonedDateTime({
    timeZone: 'Europe/Zurich',
    plainTime: '15:00',
  })
  await fixture.ask('owner', `PATCH /api/v1/tasks/${tasks[2]?.id}`, {
    due_at: at.toInstant().toString({ smallestUnit: 'millisecond' }),
  })
  await expect(day(page, 1)).toContainText('Errand 3')
  await rowOf(page, 'Errand 3').focus()
  await page.keyboard.press('Alt+ArrowDown')
  await expect(day(page, 2)).toContainText('Errand 3')
  await expect(rowOf(page, 'Errand 3')).toBeFocused()
  await expect
    .poll(async () => (await readTask(fixture, tasks[2]?.id)).due_at)
    .toBe(at.add({ days: 1 }).toInstant().toString({ smallestUnit: 'millisecond' }))
  await page.reload()
  await expect(day(page, 2)).toContainText('Errand 3')

  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Hours per day' }).click()
  await page.getByRole('menu', { name: 'Hours per day' }).getByText('8h', { exact: true }).click()
  await expect(day(page, 0)).toContainText('2h left of 8h')
})

browserTest('moves unplanned tasks onto a day by keyboard', async (fixture) => {
  const tasks = await seedErrands(fixture)
  const page = await openMyWork(fixture)
  // There are later tasks between, but "Later" is no day.
  await rowOf(page, 'Errand 5').focus()
  await page.keyboard.press('Alt+ArrowUp')
  await expect(day(page, 6)).toContainText('Errand 5')
  await expect
    .poll(async () => (await readTask(fixture, tasks[4]?.id)).due_date)
    .toBe(dateFromToday(6))
})

browserTest('the keys of a list work in My work', async (fixture) => {
  const { ask, team } = fixture
  const [first] = await seedErrands(fixture)
  const page = await openMyWork(fixture)
  const read = () => readTask(fixture, first?.id)
  await page.keyboard.press('j')
  await expect(rowOf(page, 'Errand 1')).toBeFocused()
  await page.keyboard.press('e')
  await page.getByRole('textbox', { name: 'Title of ENG-1' }).fill('Errand 1, renamed')
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await read()).title).toBe('Errand 1, renamed')
  const renamed = rowOf(page, 'Errand 1, renamed')
  await expect(renamed).toBeFocused()
  // Without its assignee it is no task of the page any more.
  await page.keyboard.press('i')
  await holdUndo(page)
  await expect.poll(async () => (await read()).assignee_ids).toEqual([])
  await expect(renamed).toHaveCount(0)
  await pressUndo(page)
  await expect.poll(async () => (await read()).assignee_ids).toEqual([team.people.member.id])
  await renamed.focus()

  await page.keyboard.press('Shift+C')
  await typeInFocusedField(page, 'Part')
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await read()).subtask_count).toBe(1)
  await page.keyboard.press('Escape')
  await renamed.focus()

  // The timer is the first line here, and stays in sight everywhere else.
  const timer = page.getByRole('region', { name: 'Running timer' })
  await page.keyboard.press('Shift+S')
  await expect(timer).toContainText('ENG-1')
  await page.keyboard.press('Space')
  await expect(page.getByRole('complementary', { name: 'Task ENG-1' })).toBeVisible()
  await expect(renamed).toBeFocused()
  await openScreen(page, `/w/${team.workspace}/inbox`)
  await expect(timer).toContainText('Errand 1, renamed')
  await assertAccessible(page, { within: '.timer-slip' })
  // The deletion of its task stops it.
  await ask('owner', `DELETE /api/v1/tasks/${first?.id}`)
  await expect(timer).toHaveCount(0)
})

browserTest('plans with the hours a day of the person, in each browser', async (fixture) => {
  await seedErrands(fixture)
  const page = await openMyWork(fixture)
  await expect(day(page, 0)).toContainText('2h left of 6h')
  const item = (name: string) => page.locator('[role^="menuitem"]').filter({ hasText: name })
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await item('Hours per day').click()
  await item('4h').click()
  await expect(day(page, 0)).toContainText('2h left of 4h')
  const other = await openMyWork(fixture)
  await expect(day(other, 0)).toContainText('2h left of 4h')
  await openScreen(other, 'settings/profile')
  const hours = other.getByLabel('Hours per day')
  await expect(hours).toHaveValue('4')
  await hours.selectOption('8')
  await other
    .getByRole('region', { name: 'Account', exact: true })
    .getByRole('button', { name: 'Save' })
    .click()
  await openScreen(other, '../my')
  await expect(day(other, 0)).toContainText('2h left of 8h')
})
