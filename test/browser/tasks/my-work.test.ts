import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { holdUndo, openScreen, pressUndo } from '../support/page-actions.ts'
import { dateFromToday, seedTasks } from '../support/seed.ts'

const DAYS = [-2, 0, 3, 30, undefined]
const SECTIONS = ['Overdue', 'Today', 'Next 7 days', 'Later', 'No due date']

/** Tasks 1 to 5 of the member, one for each section; task 6 is the owner's. */
const seedErrands = (fixture: BrowserFixture) =>
  seedTasks(fixture, 6, (n, { people }) => {
    const day = DAYS[n]
    return {
      title: `Errand ${n + 1}`,
      assignee_ids: [n === 5 ? people.owner.id : people.member.id],
      ...(day !== undefined && { due_date: dateFromToday(day) }),
      ...(n === 0 && { estimate_seconds: 5_400 }),
      ...(n === 1 && { estimate_seconds: 7_200 }),
    }
  })

async function openMyWork({ openAs }: BrowserFixture): Promise<Page> {
  const page = await openAs('member', 'my')
  await expect(page.getByRole('region', { name: 'Overdue' })).toContainText('Errand 1')
  return page
}

const rowOf = (page: Page, title: string) => page.getByRole('listitem').filter({ hasText: title })
const statusOf = (page: Page, title: string) =>
  rowOf(page, title).getByRole('button', { name: /Complete or reopen/ })
const viewLink = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'View' }).getByRole('link', { name, exact: true })

const savedTask = ({ ask }: BrowserFixture, id: string | undefined) =>
  ask<{ status_category: string; version: number }>('owner', `GET /api/v1/tasks/${id}`)

browserTest('groups tasks by due date, and completes them by keyboard', async (fixture) => {
  const [first] = await seedErrands(fixture)
  const page = await openMyWork(fixture)
  for (const [at, name] of SECTIONS.entries())
    await expect(page.getByRole('region', { name })).toContainText(`Errand ${at + 1}`)
  await expect(page.getByText('Errand 6')).toHaveCount(0)
  const status = statusOf(page, 'Errand 1')
  await status.focus()
  const [reply] = await Promise.all([
    page.waitForResponse((reply) => reply.url().endsWith('/complete')),
    page.keyboard.press('Enter'),
  ])
  assert.equal(reply.status(), 200)
  await holdUndo(page)
  // A new task shows that the tab was loaded again; the row of the completed one is still there.
  const { project, people } = fixture.team
  const late = { project_id: project, title: 'Errand late', assignee_ids: [people.member.id] }
  await fixture.ask('owner', 'POST /api/v1/tasks', late)
  await rowOf(page, 'Errand late').waitFor()
  await expect(status).toHaveAccessibleName(/^Done/)
  await expect(status).toBeFocused()
  await pressUndo(page)
  await expect(status).toHaveAccessibleName(/^To do/)
  await expect
    .poll(async () => (await savedTask(fixture, first?.id)).status_category)
    .toBe('unstarted')
  await expect(status).toBeFocused()

  // The views have addresses, and are read on a phone.
  await page.setViewportSize({ width: 360, height: 740 })
  for (const [name, address] of [
    ['Created by me', /view=created$/],
    ['Done', /view=done$/],
    ['Today', /my$/],
  ] as const) {
    await viewLink(page, name).click()
    await expect(page).toHaveURL(address)
    await expect(page.locator('.views [aria-current]')).toHaveText([name])
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth)
  assert.equal(wide, 360)
  await assertAccessible(page)
})

browserTest('plans a day by one button and by drag, in an order of its own', async (fixture) => {
  const tasks = await seedErrands(fixture)
  const page = await openMyWork(fixture)
  const dueDateOf = async (index: number) =>
    (
      await fixture.ask<{ due_date: string | null }>(
        'owner',
        `GET /api/v1/tasks/${tasks[index]?.id}`,
      )
    ).due_date
  const today = page.getByRole('region', { name: 'Today' })
  const titles = today.getByRole('link', { name: /^Errand/ })
  await expect(today).toContainText('3h 30m left, 1h 30m of it overdue')
  const load = page.getByRole('list', { name: 'Remaining estimates by due date' })
  await expect(load.getByRole('listitem').first()).toContainText('3h 30m')

  await page.getByRole('button', { name: 'Move all to today' }).click()
  await holdUndo(page)
  await expect(titles).toHaveCount(2)
  await expect.poll(() => dueDateOf(0)).toBe(dateFromToday(0))
  await pressUndo(page)
  await expect(page.getByRole('region', { name: 'Overdue' })).toContainText('Errand 1')
  await expect.poll(() => dueDateOf(0)).toBe(dateFromToday(-2))

  const row = rowOf(page, 'Errand 4')
  const from = await row.locator('.gut').boundingBox()
  const to = await rowOf(page, 'Errand 2').boundingBox()
  assert.ok(from && to)
  await page.mouse.move(from.x + 4, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(to.x + to.width / 2, to.y + 20, { steps: 5 })
  await page.mouse.move(to.x + to.width / 2, to.y + 3, { steps: 5 })
  await page.mouse.up()
  await expect(titles).toHaveText(['Errand 4', 'Errand 2'])
  await expect.poll(() => dueDateOf(3)).toBe(dateFromToday(0))
  await titles.first().focus()
  await page.keyboard.press('Alt+ArrowDown')
  await expect(titles).toHaveText(['Errand 2', 'Errand 4'])
  await expect(titles.last()).toBeFocused()
  await expect(page.getByText('ENG-4, position 2 of 2')).toBeAttached()
  await page.reload()
  await expect(titles).toHaveText(['Errand 2', 'Errand 4'])
  await assertAccessible(page)
})

browserTest('the keys of a list work in My work', async (fixture) => {
  const { ask, team } = fixture
  const [first] = await seedErrands(fixture)
  const page = await openMyWork(fixture)
  const read = () =>
    ask<{ title: string; assignee_ids: string[] }>('owner', `GET /api/v1/tasks/${first?.id}`)
  const link = page.getByRole('link', { name: 'Errand 1' })
  await page.keyboard.press('j')
  await expect(link).toBeFocused()
  await page.keyboard.press('e')
  await page.getByRole('textbox', { name: 'Title' }).fill('Errand 1, renamed')
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await read()).title).toBe('Errand 1, renamed')
  const renamed = page.getByRole('link', { name: 'Errand 1, renamed', exact: true })
  await expect(renamed).toBeFocused()
  await page.keyboard.press('i')
  await holdUndo(page)
  await expect.poll(async () => (await read()).assignee_ids).toEqual([])
  await pressUndo(page)
  await expect.poll(async () => (await read()).assignee_ids).toEqual([team.people.member.id])
  await renamed.focus()

  await page.keyboard.press('Shift+C')
  const subtask = page.getByRole('textbox', { name: 'Subtask title' })
  await expect(subtask).toBeFocused()
  await subtask.fill('Part')
  await page.keyboard.press('Enter')
  await expect
    .poll(
      async () =>
        (await ask<{ subtask_count: number }>('owner', `GET /api/v1/tasks/${first?.id}`))
          .subtask_count,
    )
    .toBe(1)
  await page.keyboard.press('Escape')
  await expect(subtask).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('link', { name: 'ENG-1', exact: true })).toBeFocused()
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
