import assert from 'node:assert/strict'
import { expect } from '@playwright/test'
import { browse } from './support/browse.ts'
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

browse('tasks are typed one after the other, with chips, and pasted in lines', async (scene) => {
  const { as, ask, team } = scene
  const { id: infra } = await ask<{ id: string }>(
    'owner',
    `POST /api/v1/projects/${team.project}/tags`,
    { name: 'infra' },
  )
  const made = async () => {
    const { data } = await ask<{ data: Task[] }>(
      'owner',
      `GET /api/v1/projects/${team.project}/tasks`,
    )
    return data
  }
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText('No tasks yet.').waitFor()
  await page.keyboard.press('c')
  const field = page.getByRole('textbox', { name: 'New task in Todo' })
  await expect(field).toBeFocused()
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
  const [first] = await made()
  assert.deepEqual(
    [first?.title, first?.priority, first?.due_date, first?.assignee_ids, first?.tag_ids],
    ['Changelog for all !high', 'none', dayFrom(1), [team.people.member.id], [infra]],
  )

  await field.evaluate((input) => {
    const data = new DataTransfer()
    data.setData('text', '- one\n- two\n3. three')
    input.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    )
  })
  await page.getByRole('button', { name: 'Make 3 tasks' }).click()
  await expect(page.getByRole('link', { name: 'ENG-5', exact: true })).toBeVisible()
  assert.deepEqual((await made()).map(({ title }) => title).slice(2), ['one', 'two', 'three'])

  await page.getByText('three', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await page.keyboard.press('Shift+C')
  await page.keyboard.type('Part of it')
  await page.keyboard.press('Enter')
  await expect(page.locator('[data-number="6"]')).toHaveAttribute('data-depth', '1')
  assert.ok((await made()).some(({ title, parent_id }) => title === 'Part of it' && parent_id))
})
