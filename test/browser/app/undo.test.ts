import type { Page } from '@playwright/test'
import { assertAccessible, OPEN_DIALOG } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { holdUndo } from '../support/keyboard/press-undo.ts'
import { waitForPageFocus } from '../support/keyboard/wait-for-page-focus.ts'
import { CONNECTION_ERRORS } from '../support/open-list.ts'
import { seedTasks } from '../support/seed.ts'

const UNDO = 'ControlOrMeta+z'
const REDO = 'ControlOrMeta+Shift+z'

const statusOf = async ({ ask }: BrowserFixture, id: string | undefined): Promise<string> =>
  (await ask<{ status: string }>('owner', `GET /api/v1/tasks/${id}`)).status

/** Closes all messages at the bottom, as they do after eight seconds. */
async function dismissMessages(page: Page): Promise<void> {
  const dismiss = page.getByRole('button', { name: 'Dismiss' })
  await dismiss.first().waitFor()
  while ((await dismiss.count()) > 0) await dismiss.first().click()
  await waitForPageFocus(page)
}

browserTest(
  'undoes and redoes changes one by one after their messages have gone',
  async (fixture) => {
    const { as, team } = fixture
    const [one, two] = await seedTasks(fixture, 2, (n) => ({
      title: `Task ${n + 1}`,
      status: 'todo',
    }))
    const expectStatuses = async (first: string, second: string) => {
      await expect.poll(() => statusOf(fixture, one?.id)).toBe(first)
      await expect.poll(() => statusOf(fixture, two?.id)).toBe(second)
    }
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/p/ENG`)
    const boxOf = (title: string) =>
      page
        .getByRole('row', { name: new RegExp(title) })
        .getByRole('button', { name: /^(To do|Done)/ })
    await boxOf('Task 1').click()
    await boxOf('Task 2').click()
    await holdUndo(page)
    await expectStatuses('done', 'done')
    await dismissMessages(page)

    await page.keyboard.press(UNDO)
    await expect(page.getByText('Undone: Completed ENG-2')).toBeVisible()
    await expectStatuses('done', 'todo')
    await page.keyboard.press(UNDO)
    await expectStatuses('todo', 'todo')
    await page.keyboard.press(REDO)
    await expectStatuses('done', 'todo')
    await page.keyboard.press(REDO)
    await holdUndo(page)
    await expectStatuses('done', 'done')
    await dismissMessages(page)

    // In a text field, the keys are those of the field.
    await page.keyboard.press('n')
    const field = page.getByRole('combobox', { name: /new task/i })
    await field.pressSequentially('A title')
    await field.press(UNDO)
    await expect(field).not.toHaveValue('A title')
    await field.fill('')
    await page.keyboard.press('Escape')
    await expectStatuses('done', 'done')

    await page.getByRole('button', { name: 'Account of The member' }).click()
    await page.getByRole('menuitem', { name: 'Recent changes' }).click()
    const dialog = page.getByRole('dialog', { name: 'Recent changes' })
    const entry = dialog.getByRole('listitem').filter({ hasText: 'Completed ENG-1' })
    await assertAccessible(page, { within: OPEN_DIALOG })
    await entry.getByRole('button', { name: 'Undo' }).click()
    await expect(entry).toContainText('Undone: Completed ENG-1')
    await expectStatuses('todo', 'done')
    await entry.getByRole('button', { name: 'Redo' }).click()
    await expectStatuses('done', 'done')
  },
)

browserTest(
  'redoes a change of many tasks, and leaves what others have set since',
  async (fixture) => {
    const { as, ask, team } = fixture
    const tasks = await seedTasks(fixture, 3, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
    const [first] = tasks
    const statuses = () => Promise.all(tasks.map(({ id }) => statusOf(fixture, id)))
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/p/ENG`)
    await page.getByText('Task 1', { exact: true }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('ControlOrMeta+a')
    await expect(page.getByText('3 selected')).toBeVisible()
    await page.getByRole('button', { name: 'Complete', exact: true }).click()
    await expect.poll(statuses).toEqual(['done', 'done', 'done'])
    await dismissMessages(page)
    await page.keyboard.press(UNDO)
    await expect.poll(statuses).toEqual(['todo', 'todo', 'todo'])
    await ask('owner', `PATCH /api/v1/tasks/${first?.id}`, { status: 'canceled' })
    await expect(
      page.getByRole('row', { name: /Task 1/ }).getByRole('button', { name: /^Canceled/ }),
    ).toBeVisible()
    await page.keyboard.press(REDO)
    await expect(page.getByText('1 task was changed by someone else since')).toBeVisible()
    await expect.poll(statuses).toEqual(['canceled', 'done', 'done'])
  },
)

browserTest(
  'restores a deleted task from the trash, which its message links to',
  async (fixture) => {
    const { as, ask, team, allow } = fixture
    allow(404)
    const [task, kept] = await seedTasks(fixture, 2, (n) => ({ title: `Task ${n + 1}` }))
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/p/ENG`)
    await page.getByText('Task 1', { exact: true }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('#')
    await page.getByRole('listitem').getByRole('link', { name: 'Trash' }).click()
    await expect(page).toHaveURL(/\/trash$/)
    const row = page.getByRole('list', { name: 'Deleted tasks' }).getByRole('listitem')
    await expect(row).toHaveCount(1)
    await expect(row).toContainText('Task 1')
    await expect(row).toContainText('The member')
    await expect(row).toContainText(/(29|30) days left/)
    await row.getByRole('button', { name: 'Restore ENG-1' }).click()
    await expect(page.getByText('Restored ENG-1')).toBeVisible()
    await expect(page.getByText('The trash is empty.')).toBeVisible()
    const readTask = () => ask<{ title?: string }>('owner', `GET /api/v1/tasks/${task?.id}`)
    await expect.poll(async () => (await readTask()).title).toBe('Task 1')

    // Somebody else deletes another one; a guest may look, but not restore it.
    await ask('owner', `DELETE /api/v1/tasks/${kept?.id}`)
    const guest = await as('guest')
    await guest.goto(`/w/${team.workspace}/trash`)
    const button = guest.getByRole('button', { name: 'Restore ENG-2' })
    await expect(button).toHaveAttribute('aria-disabled', 'true')
    await guest
      .getByRole('navigation', { name: 'Main', exact: true })
      .getByRole('link', { name: 'Trash' })
      .waitFor()
  },
)

browserTest('a new task can be undone and redone, also before it was sent', async (fixture) => {
  const { as, team, ask, allow } = fixture
  allow(CONNECTION_ERRORS)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await expect(page.getByText('No tasks yet.')).toBeVisible()
  await page.keyboard.press('n')
  const field = page.getByRole('combobox', { name: /new task/i })
  const row = page.getByRole('row', { name: /Walk the dog/ })
  const countOnServer = async () =>
    (await ask<{ data: unknown[] }>('owner', 'GET /api/v1/tasks')).data.length
  await field.fill('Walk the dog')
  await field.press('Enter')
  await expect.poll(countOnServer).toBe(1)
  await page.keyboard.press('Escape')
  await page.keyboard.press(UNDO)
  await expect(row).toHaveCount(0)
  await expect.poll(countOnServer).toBe(0)
  await page.keyboard.press(REDO)
  await expect(row).toBeVisible()
  await expect.poll(countOnServer).toBe(1)

  await page.context().setOffline(true)
  await page.keyboard.press('n')
  await field.fill('Feed the cat')
  await field.press('Enter')
  const other = page.getByRole('row', { name: /Feed the cat/ })
  await expect(other).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press(UNDO)
  await expect(other).toHaveCount(0)
  await page.keyboard.press(REDO)
  await expect(other).toBeVisible()
  await page.context().setOffline(false)
  await expect.poll(countOnServer).toBe(2)
})
