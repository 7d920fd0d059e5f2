import assert from 'node:assert/strict'
import { browse, type Scene } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { dayFrom } from './support/seed.ts'

interface Task {
  title: string
  status: string
  priority: string
  due_date: string | null
  assignee_ids: string[]
  tag_ids: string[]
  parent_id: string | null
}

/** The empty list of the project with the line for a new task open, and what has been created so far. */
async function openNewTask({ as, ask, team }: Scene) {
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText('No tasks yet.').waitFor()
  await page.keyboard.press('c')
  const field = page.getByRole('textbox', { name: 'New task in Todo' })
  await expect(field).toBeFocused()
  const path = `GET /api/v1/projects/${team.project}/tasks`
  return { page, field, created: async () => (await ask<{ data: Task[] }>('owner', path)).data }
}

browse('quick add reads tags, people and dates from the title', async (scene) => {
  const { ask, team } = scene
  const { id: infra } = await ask<{ id: string }>(
    'owner',
    `POST /api/v1/projects/${team.project}/tags`,
    { name: 'infra' },
  )
  const { page, field, created } = await openNewTask(scene)
  await page.keyboard.type('Changelog #infra @me !high tomorrow for all ')
  await expect(field).toHaveValue('Changelog for all ')
  await page.getByRole('button', { name: 'Remove priority High' }).click()
  await expect(field).toHaveValue('Changelog for all !high ')
  await field.press('Enter')
  await expect(field).toHaveValue('')
  await page.keyboard.type('Second')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('link', { name: 'ENG-2', exact: true })).toBeVisible()
  await expect(field).toBeFocused()
  const [first] = await created()
  assert.deepEqual(
    [first?.title, first?.priority, first?.due_date, first?.assignee_ids, first?.tag_ids],
    ['Changelog for all !high', 'none', dayFrom(1), [team.people.member.id], [infra]],
  )
})

browse('quick add makes a task of each pasted line', async (scene) => {
  const { page, field, created } = await openNewTask(scene)
  await field.evaluate((input) => {
    const data = new DataTransfer()
    data.setData('text', '- one\n- two\n3. three')
    input.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    )
  })
  await page.getByRole('button', { name: 'Make 3 tasks' }).click()
  await expect(page.getByRole('link', { name: 'ENG-3', exact: true })).toBeVisible()
  assert.deepEqual(
    (await created()).map(({ title }) => title),
    ['one', 'two', 'three'],
  )
})

browse('Shift+C makes a subtask of the task that has the focus', async (scene) => {
  const { page, field, created } = await openNewTask(scene)
  await field.fill('All of it')
  await field.press('Enter')
  await expect(page.getByRole('link', { name: 'ENG-1', exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await expect(page.locator('[data-number]:focus')).toHaveCount(1)
  await page.keyboard.press('Shift+C')
  await expect(page.getByRole('textbox', { name: /^New subtask of ENG-/ })).toBeFocused()
  await page.keyboard.type('Part of it')
  await page.keyboard.press('Enter')
  await expect(page.locator('[data-number="2"]')).toHaveAttribute('data-depth', '1')
  assert.ok((await created()).some(({ title, parent_id }) => title === 'Part of it' && parent_id))
})
