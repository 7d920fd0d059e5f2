import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { browserTest, expect } from '../support/browser-test.ts'
import { expectWritten } from '../support/page-actions.ts'
import { seedTasks } from '../support/seed.ts'

const rowOf = (page: Page, title: string) =>
  page.getByRole('row').filter({ has: page.getByText(title, { exact: true }) })
const statusButton = (page: Page, title: string) =>
  rowOf(page, title).getByRole('button', { name: /Complete or reopen/ })

browserTest('shows a change of another browser without moving the list', async (fixture) => {
  const { as, openAs, team } = fixture
  await seedTasks(fixture, 60, (n, { people }) => ({
    title: `Errand ${n + 1}`,
    assignee_ids: [people.member.id, people.owner.id],
  }))
  const searchPage = await as('member', { viewport: { width: 1_280, height: 2_800 } })
  const myWorkPage = await openAs('owner', 'my?sort=number&group=none')
  await searchPage.goto(`/w/${team.workspace}/all?f=errand`)
  await expect(myWorkPage.getByText('tasks, 60 open')).toBeVisible()
  await expect(rowOf(searchPage, 'Errand 40')).toBeVisible()

  await myWorkPage.locator('.scroll').evaluate((list) => list.scrollTo(0, 40 * 34))
  const link = rowOf(myWorkPage, 'Errand 45').getByRole('link', { name: 'Errand 45' })
  await link.focus()
  await link.scrollIntoViewIfNeeded()
  const topOfFocus = () =>
    myWorkPage.evaluate(() => document.activeElement?.getBoundingClientRect().top ?? 0)
  const before = await topOfFocus()
  await statusButton(searchPage, 'Errand 40').click()
  await expect(myWorkPage.getByText('tasks, 59 open')).toBeVisible()
  await expect(link).toBeFocused()
  // A completed task leaves the list, which may move others by one row.
  assert.ok(Math.abs((await topOfFocus()) - before) <= 34)

  await statusButton(myWorkPage, 'Errand 45').click()
  await expect(statusButton(searchPage, 'Errand 45')).toHaveAccessibleName(/^Done/)
})

browserTest('shows who else edits the title or the description of a task', async (fixture) => {
  const { openAs } = fixture
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'One' }))
  const open = async (role: 'member' | 'owner') => {
    const page = await openAs(role, `p/ENG?task=${task?.short_id}`)
    await page.locator('.lamp[data-s="ok"]').waitFor()
    return page
  }
  const [first, second] = [await open('member'), await open('owner')]
  await first.getByRole('button', { name: 'Edit title' }).press('Enter')
  await expect(second.getByText('Editing now: The member')).toBeVisible()
  await second.getByRole('button', { name: 'Add description' }).click()
  await expect(first.getByText('Editing now: The owner')).toBeVisible()
  await expect(second.getByText('Editing now')).toHaveText('Editing now: The member')
})

browserTest('shows changes of an open task without moving the focus', async (fixture) => {
  const { openAs, ask } = fixture
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'One' }))
  const page = await openAs('member', `t/${task?.short_id}`)
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
})
