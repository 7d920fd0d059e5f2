import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { seedTasks } from './support/seed.ts'

browse('a deleted comment comes back until its toast has gone', async (scene) => {
  const { as, team, ask } = scene
  const [task] = await seedTasks(scene, 1)
  const comments = `/api/v1/tasks/${task?.id}/comments`
  await ask('member', `POST ${comments}`, { body: 'Said too soon' })
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/t/${task?.short_id}`)
  const said = page.getByText('Said too soon')
  const remove = async () => {
    await page.getByRole('button', { name: 'More about the comment of The member' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await expect(said).toBeHidden()
  }
  await remove()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(said).toBeVisible()

  await remove()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  const left = async () => (await ask<{ data: [] }>('owner', `GET ${comments}`)).data.length
  await expect.poll(left).toBe(0)
  await expect(said).toBeHidden()
})
