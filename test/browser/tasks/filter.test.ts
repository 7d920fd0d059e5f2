import type { Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { dateFromToday, seedTasks } from '../support/seed.ts'

/** Ten tasks: six are open, every second has the tag "infra", and the second is the member's. */
async function seedTaggedTasks(fixture: BrowserFixture) {
  const { ask, team } = fixture
  const tags = `POST /api/v1/projects/${team.project}/tags`
  const { id } = await ask<{ id: string }>('owner', tags, { name: 'infra' })
  await seedTasks(fixture, 10, (n) => ({
    title: `Task ${n + 1}`,
    status: n < 6 ? 'todo' : 'done',
    ...(n % 2 === 0 && { tag_ids: [id] }),
    ...(n === 1 && { assignee_ids: [team.people.member.id] }),
  }))
}

const rows = (page: Page) => page.locator('[data-number]')
const numbers = (page: Page) =>
  rows(page).evaluateAll((all) => all.map((row) => Number(row.getAttribute('data-number'))))

/** The address that filters by open tasks without the tag: 2, 4 and 6. */
const filteredAddress = ({ team }: BrowserFixture) =>
  `/w/${team.workspace}/p/ENG?f=status%3Aopen+-tag%3Ainfra`

browserTest('a typed filter is stored in the address', async (fixture) => {
  await seedTaggedTasks(fixture)
  const page = await fixture.as('member')
  await page.goto(`/w/${fixture.team.workspace}/p/ENG`)
  await expect(rows(page)).toHaveCount(10)
  const type = async (text: string) => {
    await page.keyboard.press('/')
    await page.getByRole('button', { name: 'Advanced' }).click()
    await expect(page.getByRole('textbox', { name: 'Filter as text' })).toBeFocused()
    await page.keyboard.press('End')
    await page.keyboard.type(text)
  }
  await type('status:open')
  await assertAccessible(page)
  await page.keyboard.press('Enter')
  await expect(rows(page)).toHaveCount(6)
  await type(' -tag:infra')
  await page.keyboard.press('Enter')
  await expect.poll(() => numbers(page)).toEqual([2, 4, 6])
  await expect(page).toHaveURL(/f=status%3Aopen\+-tag%3Ainfra/)
  // Each change of the filter is an entry of the history.
  await page.goBack()
  await expect(rows(page)).toHaveCount(6)
  await page.goForward()
  await expect.poll(() => numbers(page)).toEqual([2, 4, 6])
})

browserTest('a condition is removed by its button', async (fixture) => {
  await seedTaggedTasks(fixture)
  const page = await fixture.as('member')
  await page.goto(filteredAddress(fixture))
  await expect(rows(page)).toHaveCount(3)
  await page.getByRole('button', { name: 'Remove filter: Tag is not infra' }).click()
  await expect(rows(page)).toHaveCount(6)
})

browserTest('completing a task removes it from a list filtered by open tasks', async (fixture) => {
  await seedTaggedTasks(fixture)
  const page = await fixture.as('member')
  await page.goto(filteredAddress(fixture))
  await page.getByText('Task 2', { exact: true }).hover()
  await page.getByRole('button', { name: 'To do. Complete or reopen ENG-2' }).click()
  await expect(page.getByText('Task 2', { exact: true })).toBeHidden()
  // A selected one leaves the selection, too, and the cursor goes on to the next row.
  await page.locator('[data-number="4"]').focus()
  await page.keyboard.press('x')
  await expect(page.getByText('1 selected')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page.getByText('Task 4', { exact: true })).toBeHidden()
  await expect(page.getByText('1 selected')).toBeHidden()
  await expect(page.locator('[data-number="6"]')).toBeFocused()
})

browserTest(
  'an empty result suggests removing the condition that excludes most tasks',
  async (fixture) => {
    const { as, team } = fixture
    await seedTasks(fixture, 8, (n) => ({ title: `Task ${n}`, priority: n < 5 ? 'high' : 'low' }))
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/p/ENG?f=priority%3Ahigh+assignee%3Ame`)
    await page.getByRole('button', { name: 'Remove “Assignee is me”' }).click()
    await expect(page.locator('[data-number]')).toHaveCount(5)
  },
)

browserTest(
  'the links of the view tabs keep filter, order, groups and saved view',
  async (fixture) => {
    await seedTaggedTasks(fixture)
    const page = await fixture.as('member')
    await page.goto(`${filteredAddress(fixture)}&sort=title&group=priority&saved=viw_1`)
    await expect.poll(() => numbers(page)).toEqual([2, 4, 6])
    const tabs = page.getByRole('navigation', { name: 'View', exact: true })
    const board = tabs.getByRole('link', { name: 'Board' })
    await page.goto((await board.getAttribute('href')) ?? '')
    await expect(page.getByRole('region', { name: 'No priority' })).toContainText('Task 6')
    await expect(rows(page)).toHaveCount(3)
    const search = new URL(page.url()).searchParams
    expect(Object.fromEntries(search)).toEqual({
      view: 'board',
      f: 'status:open -tag:infra',
      sort: 'title',
      group: 'priority',
      saved: 'viw_1',
    })
  },
)

browserTest(
  'filters of due dates begin today, and finished tasks are not overdue',
  async (fixture) => {
    const tasks = [
      { title: 'Paid', status: 'done', due_date: dateFromToday(-2) },
      { title: 'Late', status: 'todo', due_date: dateFromToday(-1) },
      { title: 'Soon', status: 'todo', due_date: dateFromToday(3) },
      { title: 'Some day', status: 'todo', due_date: null },
    ]
    await seedTasks(fixture, tasks.length, (n) => ({ ...tasks[n] }))
    const page = await fixture.as('member')
    await page.goto(`/w/${fixture.team.workspace}/p/ENG?group=due`)
    await expect(rows(page)).toHaveCount(4)
    await expect(page.getByRole('rowgroup', { name: 'Overdue' }).locator(rows(page))).toHaveCount(1)
    await expect(page.getByRole('rowgroup', { name: 'Earlier' }).getByText('Paid')).toBeVisible()
    await page.keyboard.press('/')
    await page.keyboard.type('within 7')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/f=due%3A%3C7d/)
    await expect(rows(page)).toHaveCount(1)
    await expect(page.getByText('Soon', { exact: true })).toBeVisible()
  },
)
