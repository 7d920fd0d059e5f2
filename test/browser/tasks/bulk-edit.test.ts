import assert from 'node:assert/strict'
import { browserTest, expect } from '../support/browser-test.ts'
import { holdUndo, press, pressUndo, typeInFocusedField } from '../support/page-actions.ts'
import { routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'
import { countStoredMutations } from '../support/stored-mutations.ts'

interface TaskListPage {
  data: { number: number; status: string }[]
  next_cursor: string | null
}

browserTest('changes 205 selected tasks in one step, stops, and undoes it', async (fixture) => {
  const { openAs, ask, team } = fixture
  await seedTasks(fixture, 205, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const count = async (filter: string) => {
    const path = `GET /api/v1/projects/${team.project}/tasks?${filter}&limit=200`
    const { data, next_cursor } = await ask<TaskListPage>('owner', path)
    return data.length + (next_cursor === null ? 0 : 5)
  }
  const page = await openAs('member', 'p/ENG')
  await page.getByText('Task 1', { exact: true }).waitFor()
  await press(page, 'j', 'x', 'Shift+J')
  await expect(page.getByText('2 selected')).toBeVisible()
  await page.getByRole('button', { name: 'Select all 205 in this view' }).click()
  await expect(page.getByText('205 selected')).toBeVisible()
  await page.getByRole('button', { name: /^Status/ }).click()
  await page.getByRole('dialog').waitFor()
  await typeInFocusedField(page, 'In prog')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Moved 205 tasks to In progress')).toBeVisible()
  await holdUndo(page)
  await expect.poll(() => count('status=in_progress')).toBe(205)
  await expect(page.getByRole('rowgroup', { name: 'To do' })).toBeHidden()
  await pressUndo(page)
  await expect.poll(() => count('status=todo')).toBe(205)
  await expect(page.getByRole('rowgroup', { name: 'To do' })).toBeVisible()

  // Stopped between two of its requests; what it has changed is undone in one step.
  const heldRequests: (() => void)[] = []
  await routeRequests(page, '**/api/v1/tasks/bulk', async (route) => {
    await new Promise<void>((go) => heldRequests.push(go))
    await route.continue()
  })
  await expect(page.getByText('205 selected')).toBeVisible()
  await page.keyboard.press('p')
  await page.getByRole('dialog').waitFor()
  await typeInFocusedField(page, 'High')
  await page.keyboard.press('Enter')
  await expect.poll(() => heldRequests.length).toBe(1)
  const progress = page.getByRole('progressbar', { name: /of 205 changed/ })
  await expect(progress).toHaveText('0 of 205 changed')
  heldRequests[0]?.()
  await expect.poll(() => heldRequests.length).toBe(2)
  await expect(progress).toHaveText('100 of 205 changed')
  await page.getByRole('button', { name: 'Stop' }).click()
  heldRequests[1]?.()
  await expect(page.getByText('Stopped: 200 of 205 processed')).toBeVisible()
  await expect(progress).toBeHidden()
  assert.equal(await count('priority=high'), 200)
  assert.equal(heldRequests.length, 2)
  await page.unroute('**/api/v1/tasks/bulk')
  await pressUndo(page)
  await expect.poll(() => count('priority=high')).toBe(0)
})

browserTest('says which tasks a change of many leaves out, and why', async (fixture) => {
  const { openAs, ask } = fixture
  const tasks = await seedTasks(fixture, 3, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const change = (at: number, fields: object) =>
    ask('owner', `PATCH /api/v1/tasks/${tasks[at]?.id}`, fields)
  const page = await openAs('member', 'p/ENG')
  const first = page.getByRole('row', { name: /Task 1/ })
  await first.waitFor()
  // The change is made while the request is on its way, so that the page cannot have heard of it.
  await routeRequests(
    page,
    '**/api/v1/tasks/bulk',
    async (route) => {
      await change(0, { priority: 'low' })
      await change(1, { title: 'Another title' })
      await route.continue()
    },
    { times: 1 },
  )
  await press(page, 'j', 'ControlOrMeta+a', 'p')
  await page.getByRole('dialog').waitFor()
  await typeInFocusedField(page, 'High')
  await page.keyboard.press('Enter')
  await expect(page.getByText('1 task was not changed')).toBeVisible()
  await page.getByRole('button', { name: 'Why?' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Someone else changed this in the meantime.')
  const read = (at: number) => ask('owner', `GET /api/v1/tasks/${tasks[at]?.id}`)
  expect(await read(0)).toMatchObject({ priority: 'low' })
  expect(await read(1)).toMatchObject({ priority: 'high', title: 'Another title' })
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Account of The member' }).click()
  await page.getByRole('menuitem', { name: 'Recent changes' }).click()
  // Of what the server has done each task is a line.
  await expect(dialog.getByText('Task updated: Another title')).toBeVisible()
  await page.reload()
  await first.waitFor()
  await press(page, 'j', 'ControlOrMeta+a', 'ControlOrMeta+Enter')
  await holdUndo(page)
  await expect.poll(() => countStoredMutations(page)).toBe(0)
  await ask('owner', `DELETE /api/v1/tasks/${tasks[0]?.id}`)
  await expect(first).toBeHidden()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText(/^Not undone: 1 record/)).toBeVisible()
})

browserTest('moves tasks to another project, and back by an undo', async (fixture) => {
  const { openAs, ask, list, team } = fixture
  const tag = await ask('owner', `POST /api/v1/projects/${team.project}/tags`, {
    name: 'Only here',
  })
  const tasks = await seedTasks(fixture, 3, (n) => ({
    title: `Task ${n + 1}`,
    status: 'todo',
    tag_ids: [tag.id],
  }))
  const [before, parent, after] = tasks.map(({ id }) => id)
  for (const id of [before, after])
    await ask('owner', `PATCH /api/v1/tasks/${id}`, { parent_id: parent })
  await seedTasks(fixture, 1, () => ({ title: 'Other', project_id: team.hidden }))
  const readTitles = async (project: string) => {
    const path = `GET /api/v1/projects/${project}/tasks`
    return (await list<{ title: string }>(path)).map(({ title }) => title).toSorted()
  }
  const page = await openAs('owner', 'p/ENG')
  await page.getByText('Task 1', { exact: true }).waitFor()
  await press(page, 'j', 'ControlOrMeta+a')
  await page.getByRole('button', { name: /^Move/ }).click()
  await page.getByRole('dialog').waitFor()
  // There is no other project, so that typing leaves the list as it was.
  await typeInFocusedField(page, 'Hidden')
  await page.keyboard.press('Enter')
  await expect.poll(() => readTitles(team.hidden)).toEqual(['Other', 'Task 1', 'Task 2', 'Task 3'])
  // The moved tasks have other numbers now.
  await pressUndo(page)
  await expect.poll(() => readTitles(team.project)).toEqual(['Task 1', 'Task 2', 'Task 3'])
  assert.deepEqual(await readTitles(team.hidden), ['Other'])
  // The other project has no such tag, and a subtask that moves before its parent loses it.
  for (const id of [before, after]) {
    const subtask = await ask('owner', `GET /api/v1/tasks/${id}`)
    expect(subtask).toMatchObject({ tag_ids: [tag.id], parent_id: parent })
  }
})
