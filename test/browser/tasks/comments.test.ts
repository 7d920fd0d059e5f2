import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { seedTasks } from '../support/seed.ts'

browserTest('deleting a comment can be undone until its toast is dismissed', async (fixture) => {
  const { as, team, ask } = fixture
  const [task] = await seedTasks(fixture, 1)
  const comments = `/api/v1/tasks/${task?.id}/comments`
  await ask('member', `POST ${comments}`, { body: 'Said too soon' })
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/t/${task?.short_id}`)
  const comment = page.getByText('Said too soon')
  const remove = async () => {
    await page.getByRole('button', { name: 'More actions for comment by The member' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await expect(comment).toBeHidden()
  }
  await remove()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(comment).toBeVisible()

  await remove()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  const countComments = async () =>
    (await ask<{ data: [] }>('owner', `GET ${comments}`)).data.length
  await expect.poll(countComments).toBe(0)
  await expect(comment).toBeHidden()
})
