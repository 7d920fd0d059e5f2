import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { seedTasks } from './support/seed.ts'

browse(
  'a filter is typed, stands in the address, and goes back and forth with it',
  async (scene) => {
    const { as, ask, team } = scene
    const { id } = await ask<{ id: string }>(
      'owner',
      `POST /api/v1/projects/${team.project}/tags`,
      {
        name: 'infra',
      },
    )
    await seedTasks(scene, 10, (n) => ({
      ...{ title: `Task ${n + 1}`, status: n < 6 ? 'todo' : 'done' },
      ...(n % 2 === 0 && { tag_ids: [id] }),
      ...(n === 1 && { assignee_ids: [team.people.member.id] }),
    }))
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/p/ENG`)
    const rows = page.locator('[data-number]')
    const numbers = () =>
      rows.evaluateAll((all) => all.map((row) => Number(row.getAttribute('data-number'))))
    await expect(rows).toHaveCount(10)

    await page.keyboard.press('/')
    await page.getByRole('option', { name: 'Status' }).waitFor()
    await page.keyboard.type('stat')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.keyboard.type('open')
    await accessible(page)
    await page.keyboard.press('Enter')
    await expect(rows).toHaveCount(6)
    await page.keyboard.type('-tag:infra')
    await page.keyboard.press('Enter')
    await expect.poll(numbers).toEqual([2, 4, 6])
    await page.keyboard.press('Escape')
    await expect(page).toHaveURL(/f=status%3Aopen\+-tag%3Ainfra/)

    await page.goBack()
    await expect(rows).toHaveCount(6)
    await page.goForward()
    await expect.poll(numbers).toEqual([2, 4, 6])
    await page.reload()
    await expect.poll(numbers).toEqual([2, 4, 6])
    const other = await as('owner')
    await other.goto(page.url())
    await expect(other.locator('[data-number]')).toHaveCount(3)

    await page.getByRole('button', { name: 'Remove filter: Tag is not infra' }).click()
    await expect(rows).toHaveCount(6)
    await page.getByRole('button', { name: /^Group/ }).click()
    await page
      .getByRole('menuitemradio', { name: 'Who' })
      .or(page.getByRole('menuitem', { name: 'Who' }))
      .or(page.getByRole('menuitemcheckbox', { name: 'Who' }))
      .click()
    await expect(page.getByRole('rowgroup', { name: 'The member' })).toBeVisible()
    await expect(page).toHaveURL(/group=assignee/)

    // A task that was changed here goes as the filter has it, before the server says so.
    await page.getByText('Task 2', { exact: true }).hover()
    await page.getByRole('button', { name: 'Todo. Complete or reopen ENG-2' }).click()
    await expect(page.getByText('Task 2', { exact: true })).toBeHidden()
  },
)

browse('a filter that leaves nothing names the condition that costs most', async (scene) => {
  const { as, team } = scene
  await seedTasks(scene, 8, (n) => ({ title: `Task ${n}`, priority: n < 5 ? 'high' : 'low' }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG?f=priority%3Ahigh+assignee%3Ame`)
  await page.getByRole('button', { name: 'Take off “Who is me”' }).click()
  await expect(page.locator('[data-number]')).toHaveCount(5)
})
