import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { archiveOpenProject, seedTasks } from '../support/seed.ts'

browserTest(
  'restores a deleted comment and an archived project from the trash',
  async (fixture) => {
    const { as, ask, team } = fixture
    const [task] = await seedTasks(fixture, 1)
    const comments = `/api/v1/tasks/${task?.id}/comments`
    const body = `Thanks, <@${team.people.guest.id}>: **see** below\nThe rest`
    const { id } = await ask<{ id: string }>('member', `POST ${comments}`, { body })
    await ask('owner', `POST ${comments}`, { body: 'Not theirs' })
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/t/${task?.short_id}`)
    await page.getByRole('button', { name: 'More actions for comment by The member' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('listitem').getByRole('link', { name: 'Trash' }).click()
    await expect(page).toHaveURL(/\/trash$/)

    const row = page.getByRole('list', { name: 'Deleted comments' }).getByRole('listitem')
    await expect(row).toHaveCount(1)
    await expect(row).toContainText('Thanks, @The guest: see below')
    await expect(row).not.toContainText('The rest')
    await expect(row).toContainText(/The member, .* · (29|30) days left/)
    await expect(page.getByText('Kept for 30 days, then gone for good')).toBeVisible()
    await row.getByRole('button', { name: `Restore comment on ${task?.short_id}` }).click()
    await expect(page.getByText('The trash is empty.')).toBeVisible()
    await page.getByRole('button', { name: 'Open' }).click()
    await expect(page.locator(`[id="${id}"]`)).toContainText('The rest')

    // A member does not see an archived project there, which only its managers restore.
    await archiveOpenProject(fixture)
    await page.goto(`/w/${team.workspace}/trash`)
    await expect(page.getByText('The trash is empty.')).toBeVisible()
    const owner = await as('owner')
    await owner.goto(`/w/${team.workspace}/trash`)
    const archived = owner.getByRole('list', { name: 'Archived projects' }).getByRole('listitem')
    await expect(archived).toHaveCount(1)
    await archived.getByRole('button', { name: /^Restore / }).click()
    await expect(owner.getByText('The trash is empty.')).toBeVisible()
    const read = () => ask<{ status: string }>('owner', `GET /api/v1/projects/${team.project}`)
    expect((await read()).status).toBe('active')
  },
)

browserTest(
  'says how many subtasks a deletion takes along, and passes the focus on when one restores',
  async (fixture) => {
    const { as, ask, team } = fixture
    const [, , ...below] = await seedTasks(fixture, 5, (n) => ({ title: `Task ${n + 1}` }))
    for (const { id } of below)
      await ask('owner', `PATCH /api/v1/tasks/${id}`, { parent_id: 'ENG-1' })
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/p/ENG`)
    const messages = page.getByRole('region', { name: 'Messages' })
    for (const n of [1, 2]) {
      await page.locator(`[data-number="${n}"]`).focus()
      await page.keyboard.press('#')
    }
    await expect(
      messages.getByText('Deleted ENG-1, with 3 subtasks', { exact: true }),
    ).toBeVisible()
    await expect(messages.getByText('Deleted ENG-2', { exact: true })).toBeVisible()
    await messages.getByRole('link', { name: 'Trash' }).first().click()
    const rows = page.getByRole('list', { name: 'Deleted tasks' }).getByRole('listitem')
    await expect(rows).toHaveCount(2)
    await expect(rows.filter({ hasText: 'Task 1' })).toContainText('With 3 subtasks · The member')
    await expect(rows.filter({ hasText: 'Task 2' })).not.toContainText('subtask')
    const restore = (n: number) => page.getByRole('button', { name: `Restore ENG-${n}` })
    await restore(2).press('Enter')
    await expect(rows).toHaveCount(1)
    await expect(restore(1)).toBeFocused()
  },
)
