import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { dateFromToday, seedTasks } from '../support/seed.ts'
import { expectWritten } from '../support/written-text.ts'

const rowOf = (page: Page, title: string) =>
  page.getByRole('listitem').filter({ has: page.getByText(title, { exact: true }) })
const statusButton = (page: Page, title: string) =>
  rowOf(page, title).getByRole('button', { name: /Complete or reopen/ })

browserTest(
  'shows a change of one browser in the other without moving the list or the focus',
  async (fixture) => {
    const { as, team } = fixture
    await seedTasks(fixture, 60, (n, { people }) => ({
      title: `Errand ${n + 1}`,
      assignee_ids: [people.member.id, people.owner.id],
    }))
    const searchPage = await as('member')
    const myWorkPage = await as('owner')
    await myWorkPage.goto(`/w/${team.workspace}/my`)
    await searchPage.goto(`/w/${team.workspace}/search?q=errand`)
    await expect(myWorkPage.locator('[data-row]').first()).toHaveAttribute('aria-setsize', '60')
    await expect(rowOf(searchPage, 'Errand 40')).toBeVisible()

    await myWorkPage.locator('.scroll').evaluate((list) => list.scrollTo(0, 40 * 34))
    const link = rowOf(myWorkPage, 'Errand 45').getByRole('link', { name: 'Errand 45' })
    await link.focus()
    await link.scrollIntoViewIfNeeded()
    const topOfFocus = () =>
      myWorkPage.evaluate(() => document.activeElement?.getBoundingClientRect().top ?? 0)
    const before = await topOfFocus()
    await statusButton(searchPage, 'Errand 40').click()
    // It is either shown as completed or already gone from the reloaded list.
    const todo = rowOf(myWorkPage, 'Errand 40').getByRole('button', { name: /^To do/ })
    await expect(todo).toHaveCount(0)
    await expect(link).toBeFocused()
    // A completed task leaves the list when it is reloaded, which may move others by one row.
    assert.ok(Math.abs((await topOfFocus()) - before) <= 34)

    await statusButton(myWorkPage, 'Errand 45').click()
    // The search shows first what has changed last.
    await searchPage.locator('.scroll').evaluate((list) => list.scrollTo(0, 0))
    await expect(statusButton(searchPage, 'Errand 45')).toHaveAccessibleName(/^Done/)
  },
)

browserTest(
  'shows another user’s changes of an open task without moving the scroll position or the focus',
  async (fixture) => {
    const { as, team, ask } = fixture
    const [task] = await seedTasks(fixture, 1, () => ({ title: 'One' }))
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/t/${task?.short_id}`)
    await page.getByRole('button', { name: 'Add a comment. Use @ to mention someone' }).click()
    const commentField = page.getByLabel('Comment', { exact: true })
    await commentField.fill('Half')
    const scroll = page.locator('.task-frame > .scroll')
    await scroll.evaluate((element) => element.scrollTo(0, 60))
    const before = await scroll.evaluate((element) => element.scrollTop)

    const path = `/api/v1/tasks/${task?.id}`
    await ask('owner', `PATCH ${path}`, { title: 'Two' })
    await ask('owner', `POST ${path}/comments`, { body: 'Seen live' })
    await ask('admin', `POST ${path}/time-entries`, { duration_seconds: 3_600 })
    await expect(page.getByRole('heading', { level: 1, name: 'Two' })).toBeVisible()
    await expect(page.locator('.said').getByText('Seen live')).toBeVisible()
    await expect(page.getByText('1h', { exact: true }).first()).toBeVisible()
    await expect(commentField).toBeFocused()
    await expectWritten(commentField, 'Half')
    assert.equal(await scroll.evaluate((element) => element.scrollTop), before)
  },
)

browserTest('moves no row of a list while the pointer is down', async (fixture) => {
  const { as, team, ask } = fixture
  const [first, second] = await seedTasks(fixture, 4, (n) => ({
    title: `Errand ${n + 1}`,
    status: n < 2 ? 'todo' : 'in_progress',
  }))
  const page = await as('owner')
  await page.goto(`/w/${team.workspace}/p/ENG?sort=number`)
  const row = (title: string) => page.locator('[data-number]').filter({ hasText: title })
  const numbers = async () =>
    (await page.locator('[data-number]').allInnerTexts())
      .map((text) => /Errand (\d)/.exec(text)?.[1] ?? text)
      .join('')
  await row('Errand 4').waitFor()
  await expect(page.getByText('Live')).toBeVisible()
  await page.getByRole('heading', { level: 1 }).hover()
  await page.mouse.down()
  await ask('admin', `PATCH /api/v1/tasks/${first?.id}`, { status: 'in_progress' })
  await expect(row('Errand 1').getByRole('button', { name: /^In progress/ })).toBeVisible()
  expect(await numbers()).toBe('1234')
  await page.mouse.up()
  await expect.poll(numbers).toBe('2134')
  // The menu of the system may swallow the release of the button that opens it.
  await page.mouse.down({ button: 'right' })
  await seedTasks(fixture, 1, () => ({ title: 'Errand 5', status: 'todo' }))
  await expect.poll(numbers).toBe('25134')
  await page.mouse.up({ button: 'right' })
  await ask('admin', `DELETE /api/v1/tasks/${second?.id}`)
  await expect.poll(numbers).toBe('5134')
})

browserTest(
  'the keys of My work go on from a row that others have removed or moved to another section',
  async (fixture) => {
    const { as, ask, team } = fixture
    const tasks = await seedTasks(fixture, 5, (n, { people }) => ({
      title: `Errand ${n + 1}`,
      assignee_ids: [people.member.id],
      due_date: dateFromToday(n < 3 ? n - 5 : 3),
    }))
    const change = (n: number, patch: object) =>
      ask('owner', `PATCH /api/v1/tasks/${tasks[n - 1]?.id}`, patch)
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/my`)
    const title = (n: number) =>
      page
        .getByRole('listitem')
        .locator('a.title')
        .filter({ hasText: `Errand ${n}` })
    await title(2).focus()
    await change(2, { assignee_ids: [] })
    await expect(title(2)).toHaveCount(0)
    await page.keyboard.press('j')
    await expect(title(3)).toBeFocused()
    await page.keyboard.press('j')
    await expect(title(4)).toBeFocused()

    await change(4, { due_date: dateFromToday(60) })
    await expect(page.getByRole('region', { name: 'Later' })).toContainText('Errand 4')
    await expect(title(4)).toBeFocused()
    await change(4, { assignee_ids: [] })
    await expect(title(4)).toHaveCount(0)
    // Where the row was when the person came to it.
    await page.keyboard.press('ArrowUp')
    await expect(title(3)).toBeFocused()
  },
)

browserTest(
  'the inbox follows the deletion, restoring and renaming of what its notifications are about',
  async (fixture) => {
    const { as, team, ask } = fixture
    const assignee_ids = [team.people.member.id]
    const [first, second] = await seedTasks(fixture, 2, (n) => ({
      title: `Errand ${n + 1}`,
      assignee_ids,
    }))
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/inbox`)
    const link = page.getByRole('link', { name: /^Inbox/ }).first()
    const rows = page.getByRole('list', { name: 'Notifications' }).getByRole('listitem')
    await expect(rows.filter({ hasText: 'Errand 2' })).toBeVisible()
    await expect(link).toHaveText(/2$/)
    await ask('admin', `PATCH /api/v1/tasks/${first?.id}`, { title: 'Renamed while shown' })
    await expect(rows.filter({ hasText: 'Renamed while shown' })).toBeVisible()
    await ask('admin', `DELETE /api/v1/tasks/${second?.id}`)
    await expect(rows.filter({ hasText: 'Errand 2' })).toHaveCount(0)
    await expect(link).toHaveText(/1$/)
    await ask('admin', `POST /api/v1/tasks/${second?.id}/restore`)
    await expect(rows.filter({ hasText: 'Errand 2' })).toBeVisible()
    await expect(link).toHaveText(/2$/)
  },
)
