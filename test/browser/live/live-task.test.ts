import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { seedTasks } from '../support/seed.ts'
import { expectWritten } from '../support/written-text.ts'

/** Opens a task with a comment being typed; another user can rename it and add comments. */
async function openTaskWithDraft(fixture: BrowserFixture) {
  const { as, team, ask } = fixture
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'One' }))
  assert.ok(task)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
  await heading(page, 'One').waitFor()
  await page.getByRole('button', { name: 'Add a comment. Use @ to mention someone' }).click()
  const commentField = page.getByLabel('Comment', { exact: true })
  await commentField.fill('Half')
  return {
    page,
    commentField,
    rename: (title: string) => ask('owner', `PATCH /api/v1/tasks/${task.id}`, { title }),
    addComment: (body: string) => ask('owner', `POST /api/v1/tasks/${task.id}/comments`, { body }),
  }
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const publishedComment = (page: Page, text: string) => page.locator('.said').getByText(text)

browserTest(
  'shows another user’s changes without moving the scroll position or the focus',
  async (fixture) => {
    const { page, commentField, rename, addComment } = await openTaskWithDraft(fixture)
    const scroll = page.locator('.task-frame > .scroll')
    await scroll.evaluate((element) => element.scrollTo(0, 60))
    const before = await scroll.evaluate((element) => element.scrollTop)
    await rename('Two')
    await addComment('Seen live')
    await expect(heading(page, 'Two')).toBeVisible()
    await expect(publishedComment(page, 'Seen live')).toBeVisible()
    await expect(commentField).toBeFocused()
    await expectWritten(commentField, 'Half')
    assert.equal(await scroll.evaluate((element) => element.scrollTop), before)
  },
)

browserTest(
  'a task loads the changes that it missed while the browser was offline',
  async (fixture) => {
    fixture.allow(/ERR_|net::/)
    const { page, commentField, rename, addComment } = await openTaskWithDraft(fixture)
    await page.context().setOffline(true)
    await rename('Three')
    await addComment('Said meanwhile')
    await page.context().setOffline(false)
    await expect(heading(page, 'Three')).toBeVisible()
    await expect(publishedComment(page, 'Said meanwhile')).toBeVisible()
    await expectWritten(commentField, 'Half')
  },
)
