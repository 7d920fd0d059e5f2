import assert from 'node:assert/strict'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { seedTasks } from './support/seed.ts'

interface Page {
  data: { number: number; status: string }[]
  next_cursor: string | null
}

browse('two hundred tasks are changed in one go, and taken back in one', async (scene) => {
  const { as, ask, team } = scene
  await seedTasks(scene, 205, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const inStatus = async (status: string) => {
    const { data, next_cursor } = await ask<Page>(
      'owner',
      `GET /api/v1/projects/${team.project}/tasks?status=${status}&limit=200`,
    )
    return data.length + (next_cursor === null ? 0 : 5)
  }
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText('Task 1', { exact: true }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.keyboard.press('Shift+J')
  await expect(page.getByText('2 selected')).toBeVisible()
  await page.getByRole('button', { name: 'Select all 205 in this view' }).click()
  await expect(page.getByText('205 selected')).toBeVisible()
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/bulk')) sent.push(request.url())
  })
  await page.getByRole('button', { name: /^Status/ }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.type('In prog')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Moved 205 tasks to In progress')).toBeVisible()
  await expect.poll(() => inStatus('in_progress')).toBe(205)
  await expect.poll(() => sent.length).toBe(3)
  await expect(page.getByRole('rowgroup', { name: 'Todo' })).toBeHidden()

  await page.keyboard.press('ControlOrMeta+z')
  await expect.poll(() => inStatus('todo')).toBe(205)
  await expect(page.getByRole('rowgroup', { name: 'Todo' })).toBeVisible()
})

browse('what somebody else changed meanwhile is left, and told with the reason', async (scene) => {
  const { as, ask } = scene
  const tasks = await seedTasks(scene, 3, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const page = await as('member')
  await page.goto(`/w/${scene.team.workspace}/p/ENG`)
  await page.getByText('Task 1', { exact: true }).waitFor()
  // Neither lives nor reads: the page does not hear of the change before it sends its own.
  await page.route(
    '**/api/v1/tasks/bulk',
    async (route) => {
      await ask('owner', `PATCH /api/v1/tasks/${tasks[0]?.id}`, { priority: 'low' })
      await ask('owner', `PATCH /api/v1/tasks/${tasks[1]?.id}`, { title: 'Another title' })
      await route.continue()
    },
    { times: 1 },
  )
  await page.keyboard.press('j')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.press('p')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.type('High')
  await page.keyboard.press('Enter')
  await expect(page.getByText('1 task was not changed')).toBeVisible()
  await page.getByRole('button', { name: 'Why' }).click()
  await expect(page.getByRole('dialog')).toContainText('Somebody else changed the same meanwhile.')
  const read = (at: number) =>
    ask<{ priority: string; title: string }>('owner', `GET /api/v1/tasks/${tasks[at]?.id}`)
  assert.deepEqual(
    [(await read(0)).priority, (await read(1)).priority, (await read(1)).title],
    ['low', 'high', 'Another title'],
  )
})

browse(
  'a change of many is stopped where it is; what was changed is taken back in one',
  async (scene) => {
    const { as, ask, team } = scene
    await seedTasks(scene, 310, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
    const high = async () => {
      const path = `GET /api/v1/projects/${team.project}/tasks?priority=high&limit=200`
      return (await ask<Page>('owner', path)).data.length
    }
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/p/ENG`)
    await page.getByText('Task 1', { exact: true }).waitFor()
    const calls: (() => void)[] = []
    await page.route('**/api/v1/tasks/bulk', async (route) => {
      await new Promise<void>((go) => calls.push(go))
      await route.continue()
    })
    await page.keyboard.press('j')
    await page.keyboard.press('ControlOrMeta+a')
    await expect(page.getByText('310 selected')).toBeVisible()
    await page.keyboard.press('p')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('High')
    await page.keyboard.press('Enter')
    await expect.poll(() => calls.length).toBe(1)
    const progress = page.getByRole('progressbar')
    await expect(progress).toHaveText('0 of 310 changed')
    calls[0]?.()
    await expect.poll(() => calls.length).toBe(2)
    await expect(progress).toHaveText('100 of 310 changed')
    await page.getByRole('button', { name: 'Stop' }).click()
    calls[1]?.()
    await expect(page.getByText('Stopped: 200 of 310 were gone through')).toBeVisible()
    await expect(progress).toBeHidden()
    assert.equal(await high(), 200)
    assert.equal(calls.length, 2)
    await page.unroute('**/api/v1/tasks/bulk')
    await page.keyboard.press('ControlOrMeta+z')
    await expect.poll(high).toBe(0)
  },
)

browse('tasks of several projects are selected in my work and in what was found', async (scene) => {
  const { as, ask, team } = scene
  const mine = { assignee_ids: [team.people.owner.id] }
  await seedTasks(scene, 3, (n) => ({
    ...{ title: `Errand ${n + 1}`, ...mine },
    ...(n === 2 && { project_id: team.hidden }),
  }))
  const found = async (field: string, value: string) => {
    const path = `GET /api/v1/tasks?${field}=${value}`
    const { data } = await ask<{ data: { title: string }[] }>('owner', path)
    return data.map(({ title }) => title).toSorted()
  }
  const page = await as('owner')
  await page.goto(`/w/${team.workspace}/my`)
  await page.getByText('Errand 3').waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.keyboard.press('Shift+J')
  await page.keyboard.press('Shift+J')
  await expect(page.getByText('3 selected')).toBeVisible()
  await accessible(page)
  // What belongs to one project alone says so.
  await expect(page.getByRole('button', { name: 'Status' })).toHaveAttribute('aria-disabled')
  await page.keyboard.press('p')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.type('High')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Priority of 3 tasks: High')).toBeVisible()
  await expect.poll(() => found('priority', 'high')).toEqual(['Errand 1', 'Errand 2', 'Errand 3'])
  await page.keyboard.press('ControlOrMeta+z')
  await expect.poll(() => found('priority', 'high')).toEqual([])

  await page.goto(`/w/${team.workspace}/search?q=errand`)
  await page.getByRole('listitem').filter({ hasText: 'Errand 3' }).hover()
  await page.getByRole('checkbox', { name: /Select HID-/ }).check()
  await page.getByRole('listitem').filter({ hasText: 'Errand 1' }).hover()
  await page.getByRole('checkbox', { name: /Select ENG-1/ }).check()
  await page.getByRole('button', { name: 'Complete' }).first().click()
  await expect.poll(() => found('completed', 'true')).toEqual(['Errand 1', 'Errand 3'])
  await page.getByRole('button', { name: /^Clear/ }).click()
  await expect(page.getByText('2 selected')).toBeHidden()
})
