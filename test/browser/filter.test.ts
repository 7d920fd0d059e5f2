import type { Page } from '@playwright/test'
import { accessible } from './support/axe.ts'
import { browse, type Scene } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { seedTasks } from './support/seed.ts'

/** Ten tasks: six are open, every other one has the tag "infra", and the second is the member's. */
async function seeded(scene: Scene) {
  const { ask, team } = scene
  const tags = `POST /api/v1/projects/${team.project}/tags`
  const { id } = await ask<{ id: string }>('owner', tags, { name: 'infra' })
  await seedTasks(scene, 10, (n) => ({
    ...{ title: `Task ${n + 1}`, status: n < 6 ? 'todo' : 'done' },
    ...(n % 2 === 0 && { tag_ids: [id] }),
    ...(n === 1 && { assignee_ids: [team.people.member.id] }),
  }))
}

const rows = (page: Page) => page.locator('[data-number]')
const numbers = (page: Page) =>
  rows(page).evaluateAll((all) => all.map((row) => Number(row.getAttribute('data-number'))))

/** The address of the open tasks without the tag: 2, 4 and 6. */
const filtered = ({ team }: Scene) => `/w/${team.workspace}/p/ENG?f=status%3Aopen+-tag%3Ainfra`

browse('a filter is typed and stands in the address', async (scene) => {
  await seeded(scene)
  const page = await scene.as('member')
  await page.goto(`/w/${scene.team.workspace}/p/ENG`)
  await expect(rows(page)).toHaveCount(10)
  await page.keyboard.press('/')
  await page.getByRole('option', { name: 'Status' }).waitFor()
  await page.keyboard.type('stat')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.keyboard.type('open')
  await accessible(page)
  await page.keyboard.press('Enter')
  await expect(rows(page)).toHaveCount(6)
  await page.keyboard.type('-tag:infra')
  await page.keyboard.press('Enter')
  await expect.poll(() => numbers(page)).toEqual([2, 4, 6])
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/f=status%3Aopen\+-tag%3Ainfra/)
  // Each condition is a step of the history.
  await page.goBack()
  await expect(rows(page)).toHaveCount(6)
  await page.goForward()
  await expect.poll(() => numbers(page)).toEqual([2, 4, 6])
})

browse(
  'an address with a filter shows the same tasks to others and after a reload',
  async (scene) => {
    await seeded(scene)
    const page = await scene.as('owner')
    await page.goto(filtered(scene))
    await expect.poll(() => numbers(page)).toEqual([2, 4, 6])
    await page.reload()
    await expect.poll(() => numbers(page)).toEqual([2, 4, 6])
  },
)

browse('a condition is removed by its button', async (scene) => {
  await seeded(scene)
  const page = await scene.as('member')
  await page.goto(filtered(scene))
  await expect(rows(page)).toHaveCount(3)
  await page.getByRole('button', { name: 'Remove filter: Tag is not infra' }).click()
  await expect(rows(page)).toHaveCount(6)
})

browse('tasks are grouped by assignee, which stands in the address', async (scene) => {
  await seeded(scene)
  const page = await scene.as('member')
  await page.goto(filtered(scene))
  await expect(rows(page)).toHaveCount(3)
  await page.getByRole('button', { name: /^Group/ }).click()
  await page
    .getByRole('menuitemradio', { name: 'Who' })
    .or(page.getByRole('menuitem', { name: 'Who' }))
    .or(page.getByRole('menuitemcheckbox', { name: 'Who' }))
    .click()
  await expect(page.getByRole('rowgroup', { name: 'The member' })).toBeVisible()
  await expect(page).toHaveURL(/group=assignee/)
})

browse('a task that is completed leaves a list of open tasks', async (scene) => {
  await seeded(scene)
  const page = await scene.as('member')
  await page.goto(filtered(scene))
  await page.getByText('Task 2', { exact: true }).hover()
  await page.getByRole('button', { name: 'Todo. Complete or reopen ENG-2' }).click()
  await expect(page.getByText('Task 2', { exact: true })).toBeHidden()
})

browse('a filter that leaves nothing names the condition that costs most', async (scene) => {
  const { as, team } = scene
  await seedTasks(scene, 8, (n) => ({ title: `Task ${n}`, priority: n < 5 ? 'high' : 'low' }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG?f=priority%3Ahigh+assignee%3Ame`)
  await page.getByRole('button', { name: 'Take off “Who is me”' }).click()
  await expect(page.locator('[data-number]')).toHaveCount(5)
})
